#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "base/demangler.h"
#include "check/findings/checks.h"
#include "check/fixes/other_definition.h"
#include "check/libraries/two_glibcs.h"

namespace cudald {
namespace {

bool is_python_symbol(std::string_view name) {
  if (name.starts_with('_')) name.remove_prefix(1);
  return name.starts_with("Py") && name.size() > 2 &&
         (std::isupper(static_cast<unsigned char>(name[2])) != 0 || name[2] == '_');
}

std::string readable_name(const MissingSymbol& symbol, Demangler& demangler) {
  auto readable = demangler(symbol.name);
  return readable.empty() ? symbol.name : readable;
}

/// Whether a library that is missing anyway would most likely define the symbol: that library is told of already.
bool belongs_to_missing_library(const Report& report, const MissingSymbol& missing) {
  const auto target = report.resolution.objects[missing.object].target;
  for (const auto& object : report.resolution.objects) {
    if (object.target != target) continue;
    for (const auto& edge : object.edges)
      if (edge.hard && !edge.object && (missing.version_file.empty() || missing.version_file == edge.name)) return true;
  }
  return false;
}

/// Whether the loader stops for the version before it looks the symbol up: CUD202 tells it. glibc elf/rtld.c,
/// "version".
bool lacks_its_version(const Report& report, const MissingSymbol& missing) {
  const auto& problems = report.resolution.version_problems;
  return std::any_of(problems.begin(), problems.end(), [&](const VersionProblem& problem) {
    return problem.object == missing.object && problem.file == missing.version_file &&
           problem.version == missing.version && !problem.weak && !problem.no_versions_at_all;
  });
}

enum class Kind { other_glibc, at_start, lazy, from_program, from_python };

void describe(const Report& report, Kind kind, const std::vector<const MissingSymbol*>& symbols, Demangler& demangler,
              Finding& finding) {
  const auto& object = report.resolution.objects[symbols.front()->object];
  const auto count = symbols.size();
  const auto what =
      count == 1 ? "the symbol " + readable_name(*symbols.front(), demangler) : fmt::format("{} symbols", count);
  switch (kind) {
    case Kind::other_glibc: return;
    case Kind::at_start:
      finding.level = Level::error;
      if (symbols.front()->name.empty())
        finding.message = fmt::format("{} is damaged: it needs symbols without names", short_name(object));
      else
        finding.message = fmt::format("{} needs {}, {}", short_name(object), what, who_defines(report, symbols));
      finding.consequence = "The loader stops with: " + symbols.front()->message;
      break;
    case Kind::lazy:
      finding.level = Level::warning;
      finding.message =
          fmt::format("{} calls {}, {}", short_name(object),
                      count == 1 ? readable_name(*symbols.front(), demangler) : fmt::format("{} functions", count),
                      who_defines(report, symbols));
      // musl ldso/dynlink.c, do_relocs: a lazy slot that finds nothing stays as it is, and nothing is looked up later.
      finding.consequence = report.resolution.libc.kind == LibcKind::musl
                                ? std::string(
                                      "It loads; the first such call ends the process by SIGSEGV, without a message. "
                                      "Opened with RTLD_NOW it fails: ") +
                                      symbols.front()->message
                                : "It loads; the first such call ends the process with \"" + symbols.front()->message +
                                      "\". With LD_BIND_NOW=1 it fails at the start.";
      break;
    case Kind::from_program:
      finding.level = Level::warning;
      finding.message = fmt::format("{} expects {} from the program that loads it", short_name(object), what);
      finding.consequence =
          "No library that it names defines them. Loaded by a program that does, it works; elsewhere it fails with "
          "\"undefined symbol\". Name that program first: cudald explain PROGRAM " +
          object.load_name;
      break;
    case Kind::from_python:
      finding.level = Level::note;
      finding.message = fmt::format("{} is an extension module: {} of Python's own symbols come from the interpreter",
                                    short_name(object), count);
      finding.consequence = "The interpreter that imports it defines them.";
      break;
  }
  for (const auto* symbol : symbols) {
    if (finding.evidence.size() >= 8) break;
    const auto readable = demangler(symbol->name);
    finding.evidence.push_back(
        {symbol->name +
             (symbol->version.empty() ? "" : ", version " + symbol->version + " of " + symbol->version_file) +
             (readable.empty() ? "" : " = " + readable),
         object.path, Basis::proven, ""});
  }
}

/// One finding for each object that answers for others.
void tell_foreign(Report& report) {
  const auto& objects = report.resolution.objects;
  std::map<ObjectId, std::vector<std::size_t>> by_definer;
  for (std::size_t i = 0; i < report.symbols->foreign.size(); ++i)
    by_definer[report.symbols->foreign[i].definer].push_back(i);
  for (const auto& [definer, rows] : by_definer) {
    const auto& first = report.symbols->foreign[rows.front()];
    std::size_t count = 0;
    for (const auto row : rows) count += report.symbols->foreign_counts[row];
    auto finding = make_finding("CUD204");
    finding.object = definer;
    finding.subject = first.name;
    finding.message =
        fmt::format("{}{} answered by {}, not by the library whose version was requested", first.name,
                    count == 1 ? " is" : fmt::format(" and {} more are", count - 1), short_name(objects[definer]));
    finding.consequence =
        fmt::format("{} has no versions, so it matches any version, and comes earlier in the symbol search.",
                    short_name(objects[definer]));
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
      const auto& binding = report.symbols->foreign[rows[i]];
      finding.evidence.push_back({fmt::format("{} asks for {}, version {}", short_name(objects[binding.object]),
                                              binding.name, binding.version),
                                  objects[binding.object].path, Basis::proven, ""});
    }
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_symbols(const Case& given) {
  auto& report = given.report;
  if (!report.symbols) return;
  for (const auto& aborting : report.symbols->aborting) {
    const auto& object = report.resolution.objects[aborting.object];
    auto finding = make_finding("CUD201");
    finding.object = aborting.object;
    finding.subject = aborting.name;
    finding.message = fmt::format("{} wants {} in version {} of {}, and that file has no versions at all",
                                  short_name(object), aborting.name, aborting.version, aborting.version_file);
    if (aborting.lazy) finding.level = Level::warning;
    finding.consequence = std::string(aborting.lazy ? "At the first call the" : "The") +
                          " loader takes it for its own fault and aborts: " + aborting.message;
    finding.fixes.push_back(
        {fmt::format("put a {} in place that was linked with a version script, as the one {} was built against",
                     aborting.version_file, short_name(object)),
         "", ""});
    report.findings.push_back(std::move(finding));
    break;
  }
  tell_foreign(report);
  Demangler demangler;
  std::map<std::pair<ObjectId, Kind>, std::vector<const MissingSymbol*>> groups;
  for (const auto& missing : report.symbols->missing) {
    auto kind = missing.lazy ? Kind::lazy : Kind::at_start;
    if (!is_python_symbol(missing.name) && belongs_to_missing_library(report, missing)) continue;
    if (lacks_its_version(report, missing)) continue;
    if (is_private_to_glibc(missing)) kind = Kind::other_glibc;
    if (!missing.of_files) kind = is_python_symbol(missing.name) ? Kind::from_python : Kind::from_program;
    groups[{missing.object, kind}].push_back(&missing);
  }
  for (const auto& [key, symbols] : groups) {
    // Where Python is what loads it, there is nothing to say.
    const auto whole = whole_target(report, key.first).kind;
    if (key.second == Kind::from_python && (whole == TargetKind::import || whole == TargetKind::package)) continue;
    auto finding = make_finding("CUD201");
    finding.object = key.first;
    finding.subject = symbols.front()->name;
    describe(report, key.second, symbols, demangler, finding);
    if (key.second == Kind::other_glibc) tell_two_glibcs(report, symbols, given.store, finding);
    if (key.second == Kind::at_start || key.second == Kind::lazy)
      add_other_definition(report, symbols, given.store, finding);
    finding.level =
        std::max(finding.level,
                 level_of_failure(report, report.resolution.targets[report.resolution.objects[key.first].target]));
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald

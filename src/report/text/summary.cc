#include "report/text/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "report/text/search_table.h"

namespace cudald {
namespace {

/// The folder that holds all of these: "/opt/a" for {"/opt/a/b", "/opt/a/c"}.
std::string common_folder(const std::set<std::string>& folders) {
  std::string common = *folders.begin();
  for (const std::string& folder : folders)
    while (!common.empty() && common != "/" && !(folder + "/").starts_with(common + "/"))
      common = std::string(parent_path(common));
  return common;
}

std::string where(const std::set<std::string>& folders) {
  if (folders.size() == 1) return "in " + escaped(*folders.begin());
  const std::string common = common_folder(folders);
  const bool tells_something = common != "/" && !common.empty();
  return tells_something ? fmt::format("in {} directories below {}", folders.size(), escaped(common))
                         : fmt::format("in {} directories", folders.size());
}

struct Origin {
  std::size_t objects = 0;
  std::set<std::string> folders;
};

}  // namespace

std::string_view spoken(Verdict verdict) {
  switch (verdict) {
    case Verdict::loads: return "LOADS";
    case Verdict::cpu_only: return "CPU ONLY";
    case Verdict::risk: return "RISK";
    case Verdict::fails: return "FAILS";
    case Verdict::unknown: break;
  }
  return "UNKNOWN";
}

namespace {

/// Asked about one library, the headline is about that one: the sentence of its finding in place of the worst one's.
std::string headline_for(const Report& report, const std::string& library) {
  const auto about = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return !library.empty() && finding.subject == library;
  });
  // Whose message it is comes before what it says.
  if (about == report.findings.end() || traits_of(report.findings.front()).speaks_for_all) return report.headline;
  for (const Finding& finding : report.findings)
    if (!finding.message.empty() && report.headline.ends_with(finding.message))
      return report.headline.substr(0, report.headline.size() - finding.message.size()) + about->message;
  return report.headline;
}

}  // namespace

void write_verdict(const Report& report, TextWriter& text) {
  // Never wrapped: it is the one line that people paste elsewhere.
  text.line(text.painted(tone_of(report.verdict), spoken(report.verdict)) + "  " +
            escaped(headline_for(report, text.style().library)));
}

namespace {

/// The libraries for want of which the verdict is what it is, as far as it is about these.
std::vector<std::string> missing_names(const Report& report) {
  std::vector<std::string> names;
  for (const Finding& finding : report.findings)
    if (finding.level == report.findings.front().level && finding.edge && !finding.subject.empty() &&
        traits_of(finding).lacks_library && std::find(names.begin(), names.end(), finding.subject) == names.end())
      names.push_back(finding.subject);
  return names;
}

/// A line that people paste elsewhere is not wrapped.
void write_unbroken(TextWriter& text, std::string_view label, std::string_view words, Tone tone) {
  std::string head(label);
  head.resize(TextWriter::body_column, ' ');
  text.line(text.painted(Tone::label, head) + text.painted(tone, escaped(words)));
}

/// Under which condition a fix helps: "if ..."; empty if it states none.
std::string_view condition_of(const Fix& fix) {
  return fix.side_effect.starts_with("if ") ? std::string_view(fix.side_effect) : std::string_view();
}

/// Of the worst findings the first fix that can be pasted, else the first one in words; nullptr if there is none. One
/// in words stands first where it is to be done in the user's own code, and what can be pasted hangs on a condition.
/// Where packages were not read, what reads them comes first.
const Fix* best_fix(const Report& report) {
  if (report.verdict == Verdict::unknown)
    for (const Finding& finding : report.findings)
      if (finding.code == "CUD905" && !finding.fixes.empty()) return &finding.fixes.front();
  const Fix* in_words = nullptr;
  for (const Finding& finding : report.findings)
    for (const Fix& fix : finding.fixes) {
      if (finding.level != report.findings.front().level || finding.level == Level::note) continue;
      const bool is_command = !fix.command.empty();
      if (is_command && in_words != nullptr && !condition_of(fix).empty()) return in_words;
      if (is_command) return &fix;
      if (in_words == nullptr) in_words = &fix;
    }
  return in_words;
}

}  // namespace

// A fix may be for another Python than the one that the user had in mind.
void write_python(const Report& report, TextWriter& text) {
  if (const auto& imports = report.resolution.imports; !imports.empty() && !imports.front().python.empty())
    write_unbroken(text, "Python", imports.front().python_version + ", " + imports.front().python, Tone::plain);
}

void write_short_answer(const Report& report, TextWriter& text) {
  if (report.findings.empty() || report.verdict == Verdict::loads) return;
  constexpr std::size_t most_named = 12;
  auto names = missing_names(report);
  const auto more = names.size() > most_named ? fmt::format(" and {} more", names.size() - most_named) : "";
  names.resize(std::min(names.size(), most_named));
  if (!names.empty()) text.labelled("missing", escaped(fmt::format("{}", fmt::join(names, ", "))) + more);
  write_python(report, text);
  write_best_fix(report, text);
}

void write_best_fix(const Report& report, TextWriter& text) {
  const Fix* fix = best_fix(report);
  if (fix == nullptr) return;
  std::string_view label = "fix";
  if (fix->command.empty()) {
    const auto condition = condition_of(*fix);
    return text.labelled(label, escaped(fmt::format("{}{}{}", fix->title, condition.empty() ? "" : "; ", condition)));
  }
  for (const std::string_view command : split(fix->command, "\n")) {
    write_unbroken(text, label, command, Tone::strong);
    label = "";
  }
}

bool is_unreadable_target(const Finding& finding, const Report& report) {
  const auto& targets = report.resolution.targets;
  return !finding.object && std::any_of(targets.begin(), targets.end(), [&finding](const Target& target) {
    return target.unreadable && finding.message == target.given + ": " + target.unreadable->message;
  });
}

std::string origins_line(const Report& report) {
  const auto& objects = report.resolution.objects;
  std::map<SearchRule, Origin> origins;
  std::size_t mapped = 0;
  for (const Object& object : objects) {
    if (object.unmapped) continue;
    ++mapped;
    for (const Edge& edge : object.edges) {
      if (edge.status != EdgeStatus::loaded || !edge.object) continue;
      Origin& origin = origins[edge.rule];
      ++origin.objects;
      const auto& path = objects[*edge.object].path;
      origin.folders.insert(is_full_windows_path(path) ? windows_folder(path) : std::string(parent_path(path)));
    }
  }
  std::string line = counted(mapped, "file");
  if (objects.empty()) return line + ".";
  // The process of an import without a Python here is "(the program that imports it)".
  const bool has_path = !objects.front().path.starts_with('(');
  line += ": " + (has_path ? escaped(file_name(objects.front().path)) + " itself" : "the importing program");
  for (const auto& [rule, origin] : origins)
    line += fmt::format(", {} by {} {}", origin.objects, spoken(rule), where(origin.folders));
  const bool loader_found =
      std::any_of(objects.begin(), objects.end(), [](const Object& object) { return object.dynamic_loader; });
  return line + (loader_found ? ", and the dynamic loader." : ".");
}

std::string next_command(const Report& report, std::string_view command) {
  std::string line = fmt::format("cudald {}", command);
  if (report.query.sysroot != "/") line += " --sysroot " + shell_word(report.query.sysroot);
  if (report.query.prefix) line += " --prefix " + shell_word(*report.query.prefix);
  if (!report.query.python.empty()) line += " --python " + report.query.python;
  const auto& targets = report.query.targets;
  for (const std::string& package : report.query.packages)
    if (std::find(targets.begin(), targets.end(), package) == targets.end()) line += " --with " + shell_word(package);
  for (const std::string& target : targets) line += " " + shell_word(target);
  return line;
}

std::string counts_line(const Report& report) {
  std::array<std::size_t, 3> counts{};
  for (const Finding& finding : report.findings) ++counts[static_cast<std::size_t>(finding.level)];
  std::string line;
  for (const Level level : {Level::error, Level::warning, Level::note}) {
    const std::size_t count = counts[static_cast<std::size_t>(level)];
    if (count == 0) continue;
    if (!line.empty()) line += ", ";
    line += counted(count, to_string(level));
  }
  if (line.empty()) line = "no findings";
  return fmt::format("{} ({}).", line, counted(report.resolution.objects.size(), "file"));
}

std::string verdicts_line(const std::array<std::size_t, 5>& counts) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::fails, Verdict::unknown, Verdict::risk, Verdict::cpu_only, Verdict::loads})
    if (const auto count = counts[static_cast<std::size_t>(verdict)]; count > 0)
      parts.push_back(fmt::format("{} {}", count, spoken(verdict)));
  const auto all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return fmt::format("{}: {}", counted(all, "target"), fmt::join(parts, ", "));
}

/// Whether the first fix of an error installs a package whose releases were not tried.
bool offers_to_try(const Report& report) {
  return report.releases == TriedReleases::not_yet &&
         std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
           return finding.level == Level::error && !finding.fixes.empty() &&
                  finding.fixes.front().command.find("pip install ") != std::string::npos;
         });
}

void write_closing_line(const Report& report, std::size_t folded, TextWriter& text) {
  std::string next = fmt::format("cudald rule {}", report.findings.front().code);
  if (folded > 0) next = next_command(report, "explain -v");
  if (offers_to_try(report)) next = next_command(report, "explain --online") + " tries these releases";
  text.paragraph_before(counts_line(report), "Next: " + next);
}

}  // namespace cudald

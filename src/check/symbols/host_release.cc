// CUD207: a module was compiled for another release of the program that opens it. Perl and PHP compare a text in the
// module with their own after they have opened it; the same texts are in the files. Source: data/linux-names.json,
// `hosts`.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/ascii.h"
#include "base/path.h"
#include "binary/constants/mapped_bytes.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/linux_names.h"

namespace cudald {
namespace {

using Texts = std::set<std::string, std::less<>>;

/// Whether a text is as the pattern says, in which # stands for one digit or more.
bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  for (const char c : pattern) {
    const auto begin = at;
    if (c == '#')
      while (at < text.size() && is_digit(text[at])) ++at;
    else if (at < text.size() && text[at] == c)
      ++at;
    if (at == begin) return false;
  }
  return at == text.size();
}

/// The texts of a file that stand alone, between zero bytes, and state a release.
Texts stated_texts(const ModuleHost& host, const std::string& path, Store& store) {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
  constexpr std::size_t most_texts = 16, longest = 40;
  Texts found;
  const auto& opened = store.images.open(path);
  const auto file = store.packages.open(opened.real_path);
  if (opened.error || !file) return found;
  const auto take = [&](std::string_view bytes) {
    for (const auto& pattern : host.texts) {
      const auto beginning = pattern.substr(0, pattern.find('#'));
      for (auto at = bytes.find(beginning); at != std::string_view::npos; at = bytes.find(beginning, at + 1)) {
        const auto text = bytes.substr(at, longest);
        const auto end = text.find('\0');
        const bool alone = (at == 0 || bytes[at - 1] == '\0') && end != std::string_view::npos;
        if (alone && fits_pattern(text.substr(0, end), pattern) && found.size() < most_texts)
          found.emplace(text.substr(0, end));
      }
    }
  };
  if (!MappedBytes(**file, opened.image.get()).visit_data(most_bytes, take)) found.clear();
  return found;
}

bool defines_one_of(const std::vector<std::string>& names, const Object& object, Store& store) {
  const auto table = store.symbols.get(object);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    bool found = false;
    table->visit(HashedName(name), [&](const SymbolTable::Candidate& candidate) {
      return found = candidate.symbol.section != SHN_UNDEF;
    });
    return found;
  });
}

bool takes_part_in(const ModuleHost& host, const Case& given, const Object& object) {
  if (defines_one_of(host.module, object, given.store)) return true;
  const auto uses = references_of(given, object);
  return std::any_of(host.module.begin(), host.module.end(),
                     [&](const std::string& name) { return uses.contains(name); });
}

/// "PHP 7.3 (API20180731,NTS)", "Perl v5.26.0".
std::string release_named(const ModuleHost& host, const std::string& text) {
  for (const auto& [number, release] : host.releases)
    if (text.find(number) != std::string::npos) return fmt::format("{} {} ({})", host.name, release, text);
  return host.name + " " + text;
}

/// A module and the program that opens it, which state two releases.
struct Mismatch {
  const ModuleHost& host;
  ObjectId module, program;
  std::string of_module, of_program;  ///< the texts
};

/// A file of the same directory, or of that of another release, that is the module for this program; empty: none.
std::string fitting_module(const Mismatch& mismatch, const std::string& path, Store& store) {
  constexpr std::size_t most_entries = 200;
  const std::string folder(parent_path(path));
  auto candidates = in_other_installations(path, store.images);
  const auto& entries = store.images.list(folder);
  const auto stem = file_name(path).substr(0, file_name(path).find_first_of("-_.0123456789"));
  if (entries.size() <= most_entries)
    for (const auto& entry : entries)
      if (entry.ends_with(".so") && entry.starts_with(stem) && folder + "/" + entry != path)
        candidates.push_back(folder + "/" + entry);
  for (const auto& candidate : candidates)
    if (stated_texts(mismatch.host, candidate, store).contains(mismatch.of_program)) return candidate;
  return "";
}

void add_module_fixes(const Case& given, const Mismatch& mismatch, Finding& finding) {
  const auto& objects = given.report.resolution.objects;
  const auto& path = objects[mismatch.module].path;
  finding.fixes.clear();
  if (const auto other = fitting_module(mismatch, path, given.store); !other.empty()) {
    finding.evidence.push_back({fmt::format("{} is for {}", other, release_named(mismatch.host, mismatch.of_program)),
                                other, Basis::proven, ""});
    finding.fixes.push_back({fmt::format("load {} instead of {}", other, file_name(path)), "", ""});
  }
  if (auto again = build_again(path, given.store)) finding.fixes.push_back(*std::move(again));
  const auto upgrade = is_system_path(path) ? SystemPackages(given.store.images).upgrade_of(path) : "";
  finding.fixes.push_back({mismatch.host.fix, upgrade, ""});
}

void tell_mismatch(const Case& given, const Mismatch& mismatch) {
  auto& report = given.report;
  const auto& module = report.resolution.objects[mismatch.module];
  const auto& program = report.resolution.objects[mismatch.program];
  const auto made_for = fmt::format("{} is made for {}, and {} is {}", short_name(module),
                                    release_named(mismatch.host, mismatch.of_module), short_name(program),
                                    release_named(mismatch.host, mismatch.of_program));
  const auto lacks = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return finding.code == "CUD201" && finding.object == mismatch.module && finding.level == Level::error;
  });
  auto finding = lacks == report.findings.end() ? make_finding("CUD207") : *lacks;
  finding.object = mismatch.module;
  for (const auto& [object, text] : {std::pair(&module, mismatch.of_module), std::pair(&program, mismatch.of_program)})
    finding.evidence.push_back(
        {fmt::format("{} has the text \"{}\"", short_name(*object), text), object->path, Basis::proven, ""});
  add_module_fixes(given, mismatch, finding);
  if (lacks != report.findings.end()) {
    finding.message += ": " + made_for;
    *lacks = std::move(finding);
    return;
  }
  finding.subject = mismatch.of_module;
  finding.message = made_for;
  finding.consequence = mismatch.host.result;
  finding.evidence.push_back({"both are compared once the module is open", "", Basis::table, mismatch.host.source});
  finding.level = level_of_failure(report, report.resolution.targets[module.target]);
  report.findings.push_back(std::move(finding));
}

/// Which object of the process is the program, or its library; nullopt if none is.
std::optional<ObjectId> program_of(const ModuleHost& host, const Case& given) {
  constexpr std::size_t most_files = 64;
  const auto& objects = given.report.resolution.objects;
  for (ObjectId id = 0; id < std::min(objects.size(), most_files); ++id) {
    const auto& object = objects[id];
    if (object.image && object.image->source == ImageSource::file && !object.dynamic_loader &&
        defines_one_of(host.program, object, given.store))
      return id;
  }
  return std::nullopt;
}

}  // namespace

void check_host_release(const Case& given) {
  const auto& resolution = given.report.resolution;
  if (!given.report.symbols || !resolution.imports.empty()) return;
  for (const auto& host : module_hosts()) {
    const auto program = program_of(host, given);
    const auto own = program ? stated_texts(host, resolution.objects[*program].path, given.store) : Texts();
    if (own.size() != 1) continue;  // of several, which one counts is not known
    for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
      const auto& object = resolution.objects[id];
      if (id == *program || object.loader || object.main_program || !object.image ||
          object.image->source != ImageSource::file || !takes_part_in(host, given, object))
        continue;
      const auto stated = stated_texts(host, object.path, given.store);
      if (stated.size() == 1 && stated != own)
        tell_mismatch(given, {host, id, *program, *stated.begin(), *own.begin()});
    }
  }
}

}  // namespace cudald

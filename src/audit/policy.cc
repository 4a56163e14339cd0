#include "audit/policy.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cudald/image.h>

#include "audit/requirements.h"
#include "audit/windows_wheel.h"
#include "base/path.h"
#include "base/version_order.h"
#include "binary/elf/symbol_table.h"
#include "knowledge/gpu_use.h"
#include "machine/abi.h"
#include "package/wheel_texts.h"
#include "process/library_kind.h"

namespace cudald {
namespace {

constexpr std::string_view none_of_them = "linux";

/// The libc that one file asks for; nullopt for one that asks for none.
std::optional<LibcKind> libc_of(const Image& image) {
  if (wants_musl(image)) return LibcKind::musl;
  const bool glibc =
      image.elf.interpreter.has_value() || std::any_of(image.elf.needed.begin(), image.elf.needed.end(),
                                                       [](const Needed& needed) { return needed.name == "libc.so.6"; });
  return glibc ? std::optional(LibcKind::glibc) : std::nullopt;
}

std::string_view libc_name(LibcKind libc) { return libc == LibcKind::musl ? "musl" : "glibc"; }

/// The libc that the wheel is made for: what its extension modules ask for, else any file, else what its tags claim.
LibcKind libc_of(const WheelReport& report) {
  for (const bool modules : {true, false})
    for (const auto& file : report.files)
      if (file.extension_module == modules)
        if (const auto libc = libc_of(*file.image)) return *libc;
  const bool musl = std::any_of(report.platform_tags.begin(), report.platform_tags.end(),
                                [](const std::string& tag) { return tag.starts_with("musllinux"); });
  return musl ? LibcKind::musl : LibcKind::glibc;
}

/// The machine that the wheel is made for: one that a tag names and a file has, else that of the first file.
std::string machine_of(const WheelReport& report) {
  std::string first;
  for (const auto& file : report.files) {
    const auto machine = tag_machine(*file.image);
    if (machine.empty()) continue;
    if (first.empty()) first = machine;
    for (const auto& tag : report.platform_tags)
      if (tag.ends_with("_" + std::string(machine))) return std::string(machine);
  }
  return first;
}

/// Files of other machines and of another C library are data for other machines, not part of what is promised.
void set_aside_foreign(WheelReport& report, LibcKind libc) {
  for (auto& file : report.files) {
    const auto own = libc_of(*file.image);
    if (tag_machine(*file.image) != report.machine)
      file.set_aside = "made for " + machine_name(file.image->machine);
    else if (own && *own != libc)
      file.set_aside = fmt::format("made for {}", libc_name(*own));
  }
}

/// "x86-64-v3" if a file says that it needs more than every x86-64 processor has.
std::string instructions_of(const Image& image) {
  const auto bits = image.elf.x86_isa_needed.value_or(0) >> 1;  // bit 0 is the baseline
  for (int level = 4; level >= 2; --level)
    if ((bits >> (level - 2) & 1) != 0) return fmt::format("x86-64-v{}", level);
  return "";
}

const WheelNeed* find_need(const WheelFile& file, const std::string& name) {
  const auto found =
      std::find_if(file.needs.begin(), file.needs.end(), [&](const WheelNeed& need) { return need.name == name; });
  return found == file.needs.end() ? nullptr : &*found;
}

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// Gathers obstacles by what they are about.
class Obstacles {
 public:
  void add(ObstacleKind kind, const std::string& library, const std::string& name, std::size_t since,
           const std::string& member) {
    if (since == 0) return;
    auto& obstacle = found_[{kind, library, name}];
    obstacle.kind = kind;
    obstacle.library = library;
    obstacle.name = name;
    obstacle.since = since;
    // One file after another: a member that is there already is the last one.
    if (obstacle.members.empty() || obstacle.members.back() != member) obstacle.members.push_back(member);
  }

  /// The oldest policy that none of them stands against.
  std::size_t first_fit(bool with_libraries) const {
    std::size_t first = 0;
    for (const auto& [key, obstacle] : found_)
      if (with_libraries || obstacle.kind != ObstacleKind::library) first = std::max(first, obstacle.since);
    return first;
  }

  std::vector<PolicyObstacle> take() && {
    std::vector<PolicyObstacle> list;
    for (auto& [key, obstacle] : found_) list.push_back(std::move(obstacle));
    std::stable_sort(list.begin(), list.end(), [](const PolicyObstacle& a, const PolicyObstacle& b) {
      if (a.since != b.since) return a.since > b.since;
      if (a.kind != b.kind) return a.kind < b.kind;
      return a.library != b.library ? a.library < b.library : version_less(b.name, a.name);
    });
    return list;
  }

 private:
  std::map<std::tuple<ObstacleKind, std::string, std::string>, PolicyObstacle> found_;
};

void add_forbidden_symbols(const WheelReport& report, const PolicyTable& table, const UndefinedSymbols& undefined,
                           Obstacles& obstacles) {
  const auto policy = obstacles.first_fit(false);
  for (const auto& file : report.files) {  // those that are set aside have no needs
    std::optional<std::set<std::string>> symbols;
    for (const auto& need : file.needs) {
      if (!need.inside.empty() || !table.forbids_symbols_of(need.name, policy)) continue;
      if (!symbols) symbols = undefined(file);
      for (const auto& symbol : *symbols)
        obstacles.add(ObstacleKind::symbol, need.name, symbol, table.first_with_symbol(need.name, symbol), file.member);
    }
  }
}

}  // namespace

std::string_view to_string(ObstacleKind kind) {
  switch (kind) {
    case ObstacleKind::library: return "library";
    case ObstacleKind::version: return "version";
    case ObstacleKind::symbol: return "symbol";
    case ObstacleKind::instructions: return "instructions";
  }
  return "";
}

std::string WheelReport::fitting_tag() const {
  if (!complete) return "";
  if (files.empty() && !windows_tag.empty()) return windows_tag;
  if (files.empty()) return "any";
  if (fit && fit->fits < fit->tags.size()) return fit->tags[fit->fits];
  return std::string(none_of_them) + (machine.empty() ? "" : "_" + machine);
}

bool WheelReport::is_for_other_machine() const {
  const auto is_of_windows = [](const std::string& tag) { return tag.starts_with("win"); };
  // What a wheel for Windows has beside its PE files is data. Programs of another machine may run there (x86 on x64,
  // both on Arm), with DLLs of their own, but Python loads modules of its own machine alone.
  if (!windows_files.empty() && std::any_of(platform_tags.begin(), platform_tags.end(), is_of_windows))
    return !windows_module_tags.empty() && std::all_of(platform_tags.begin(), platform_tags.end(), is_of_windows) &&
           std::none_of(windows_module_tags.begin(), windows_module_tags.end(), [&](const std::string& tag) {
             return std::find(platform_tags.begin(), platform_tags.end(), tag) != platform_tags.end();
           });
  return !machine.empty() && !platform_tags.empty() &&
         std::none_of(platform_tags.begin(), platform_tags.end(),
                      [&](const std::string& tag) { return tag == "any" || tag.ends_with("_" + machine); });
}

std::vector<ExternalLibrary> external_libraries(const WheelReport& report) {
  std::map<std::string, ExternalLibrary> found;
  for (const auto& file : report.files) {  // those that are set aside have no needs
    for (const auto& need : file.needs) {
      if (!need.inside.empty()) continue;
      auto& library = found[need.name];
      library.is_loader |= need.is_loader;
      library.members.push_back(file.member);  // its needs differ from one another
    }
    for (const auto& wanted : file.image->elf.version_needs) {
      const auto* need = find_need(file, wanted.file);
      if (need == nullptr || !need->inside.empty()) continue;
      auto& versions = found[wanted.file].versions;
      for (const auto& version : wanted.versions) {
        const auto known = std::find_if(versions.begin(), versions.end(), [&](const ExternalLibrary::Version& each) {
          return each.name == version.name;
        });
        if (known == versions.end()) {
          versions.push_back({version.name, version.weak});
        } else {
          known->weak &= version.weak;
        }
      }
    }
  }
  std::vector<ExternalLibrary> list;
  for (auto& [name, library] : found) {
    library.name = name;
    list.push_back(std::move(library));
  }
  return list;
}

PolicyFit judge_policy(const WheelReport& report, const PolicyTable& table, const UndefinedSymbols& undefined) {
  PolicyFit fit;
  fit.family = table.family();
  Obstacles obstacles;
  for (const auto& file : report.files) {
    if (!file.set_aside.empty()) continue;
    for (const auto& need : file.needs)
      if (need.inside.empty() && !need.is_loader)
        obstacles.add(ObstacleKind::library, need.name, "", table.first_with_library(need.name), file.member);
    for (const auto& wanted : file.image->elf.version_needs) {
      const auto* need = find_need(file, wanted.file);
      if (need == nullptr || !need->inside.empty()) continue;
      for (const auto& version : wanted.versions)
        // The loader forgives a weak version that is missing.
        if (!version.weak)
          obstacles.add(ObstacleKind::version, wanted.file, version.name, table.first_with_version(version.name),
                        file.member);
    }
    if (const auto instructions = instructions_of(*file.image); !instructions.empty())
      obstacles.add(ObstacleKind::instructions, "", instructions, table.count(), file.member);
  }
  add_forbidden_symbols(report, table, undefined, obstacles);
  for (std::size_t policy = 0; policy < table.count(); ++policy) {
    fit.tags.push_back(table.tag(policy));
    fit.unproven.push_back(table.unproven(policy));
  }
  const auto provable = [&](std::size_t policy) {
    while (policy < table.count() && !table.unproven(policy).empty()) ++policy;
    return policy;
  };
  fit.fits = provable(obstacles.first_fit(true));
  fit.fits_but_for_libraries = provable(obstacles.first_fit(false));
  fit.obstacles = std::move(obstacles).take();
  for (const auto& tag : report.platform_tags)
    if (const auto policy = table.find_tag(tag); policy && (!fit.claimed || *policy < *fit.claimed)) {
      fit.claimed = *policy;
      fit.claimed_tag = tag;
    }
  return fit;
}

namespace {

/// "3.11" of cp311; empty for abi3 and pure Python.
std::string python_of(const WheelReport& report) {
  const bool one = report.python_tags.size() == 1 && report.abi_tags == report.python_tags;
  return one && report.python_tags[0].starts_with("cp3") ? "3." + report.python_tags[0].substr(3) : "";
}

/// The oldest policy that the wheel claims: what is allowed there is promised.
std::size_t claimed_policy(const WheelReport& report, const PolicyTable& table) {
  auto oldest = table.count();
  for (const auto& tag : report.platform_tags)
    if (const auto policy = table.find_tag(tag)) oldest = std::min(oldest, *policy);
  return std::min(oldest, table.count() - 1);
}

void add_standings(const Package& package, const PackageTree& tree, const PolicyTable* table,
                   const Knowledge& knowledge, WheelReport& report) {
  auto bringers = bringers_of(package, tree, linux_marker_values(python_of(report), report.machine), false, knowledge);
  for (auto& library : report.external) {
    library.packages = bringers.by_library[library.name];
    const bool promised = table != nullptr && table->first_with_library(library.name) <= claimed_policy(report, *table);
    library.standing = promised || library.is_loader     ? Standing::promised
                       : !library.packages.empty()       ? Standing::declared
                       : is_driver_library(library.name) ? Standing::driver
                                                         : standing_of_unbrought(library.name, !bringers.complete);
  }
}

}  // namespace

PackageTags tags_of(const Package& package) {
  if (const auto named = parse_wheel_file_name(file_name(package.archive)))
    return {named->python_tags, named->abi_tags, named->platform_tags};
  // A renamed file: its tags still stand in WHEEL.
  PackageTags tags;
  for (const auto& tag : package.tags) {
    const auto from_wheel = parse_wheel_file_name("x-1-" + tag + ".whl");
    if (!from_wheel) continue;
    for (const auto& each : from_wheel->python_tags) add_once(tags.python, each);
    for (const auto& each : from_wheel->abi_tags) add_once(tags.abi, each);
    for (const auto& each : from_wheel->platform_tags) add_once(tags.platform, each);
  }
  return tags;
}

WheelReport audit_wheel(const Package& package, const PackageTree& tree, ImageStore& images,
                        const Knowledge& knowledge) {
  WheelReport report;
  report.path = package.archive;
  report.name = package.name;
  report.version = package.version;
  report.requires_python = package.requires_python;
  report.requires_dist = package.requires_dist;
  report.problems = package.problems.kept().size() + package.wheel_problems.size();
  auto tags = tags_of(package);
  report.python_tags = std::move(tags.python);
  report.abi_tags = std::move(tags.abi);
  report.platform_tags = std::move(tags.platform);

  add_elf_files(package, tree, images, report);
  if (report.files.empty() && !report.windows_files.empty()) {
    add_windows_libraries(package, tree, images, python_of(report), knowledge, report);
    return report;
  }
  report.machine = machine_of(report);
  const auto libc = libc_of(report);
  set_aside_foreign(report, libc);
  for (const auto& file : report.files)
    if (file.set_aside.empty() && std::any_of(file.image->defects.begin(), file.image->defects.end(),
                                              [](const Defect& defect) { return defect.limit; }))
      report.complete = false;
  resolve_needs(package, tree, images, libc, knowledge, report);
  report.external = external_libraries(report);
  const auto* table = PolicyTable::find(libc, report.machine);
  add_standings(package, tree, table, knowledge, report);
  if (table == nullptr) return report;
  const Reopener reopener(tree);
  const auto undefined = [&](const WheelFile& file) {
    std::set<std::string> names;
    const auto opened = tree.open(file.path);
    if (!opened) return names;
    const auto* abi = find_abi(file.image->machine, file.image->format, file.image->byte_order);
    Budget budget(limits_of_one_file);
    const auto symbols = SymbolTable::read(**opened, file.image, abi != nullptr ? abi->jump_slot : 0,
                                           abi != nullptr ? abi->copy : 0, {}, budget, reopener.of(file.path));
    if (symbols->limit()) report.complete = false;
    for (const auto& reference : symbols->references())
      if (!reference.defined && !reference.weak) names.emplace(reference.name);
    return names;
  };
  report.fit = judge_policy(report, *table, undefined);
  return report;
}

}  // namespace cudald

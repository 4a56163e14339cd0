// What was built with a newer GCC asks the system's libstdc++.so.6 for versions of its symbols that this one lacks. The
// library keeps all older versions, so that a newer copy serves all others as well. Which release has which:
// data/system-releases.json. Source: GCC, libstdc++ manual, ABI Policy and Guidelines, Versioning.

#include "check/fixes/newer_libstdcxx.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/system_releases.h"

namespace cudald {
namespace {

constexpr std::string_view soname = "libstdc++.so.6";

/// The newest version that a file wants of the library, by the series in which it is: GLIBCXX_3.4.9 is before
/// GLIBCXX_3.4.10.
std::string newest_of_series(const Object& object, const std::string& version) {
  const auto series = version.substr(0, version.find('_') + 1);
  auto newest = version;
  for (const auto& need : object.image->elf.version_needs) {
    if (need.file != soname) continue;
    for (const auto& each : need.versions)
      if (each.name.starts_with(series) && version_less(newest, each.name)) newest = each.name;
  }
  return newest;
}

/// A copy of conda-forge, which needs an older glibc than any system that is still in use has.
Fix libstdcxx_beside(const std::string& program) {
  const auto prefix = "$HOME/" + shell_word("libstdcxx-for-" + program);
  return {"give it the library of conda-forge",
          fmt::format("conda create -y -p {} -c conda-forge {}\n{}", prefix, libstdcxx_of_conda(),
                      export_search_path({prefix + "/lib"})),
          "for this shell; every program started from it then prefers that library"};
}

/// A release of the system that has the library itself.
Fix later_release(const Report& report, const ReleaseOfGlibc& later, const SystemPackages& system) {
  const auto& archive = *system.archive();
  if (system.is_container())
    return {fmt::format("base this image on {}, whose libstdc++.so.6 has it", later.image), "", ""};
  Fix fix{fmt::format("run it on {} {} or later, whose libstdc++.so.6 has it, or in a container of that", archive.name,
                      later.release),
          "", ""};
  const auto& program = report.resolution.objects.front();
  if (!program.image || !program.path.starts_with('/')) return fix;
  fix.command = in_container(program.path, later.image, system);
  fix.side_effect = "what else it needs may be missing there; a program with windows needs the display as well";
  return fix;
}

}  // namespace

std::string in_container(const std::string& program, const std::string& image, const SystemPackages& system) {
  const auto run = system.container_run();
  if (program.find('/') == std::string::npos)
    return fmt::format("{} -v \"$(command -v {})\":/usr/local/bin/{} {} {}", run, shell_word(program),
                       shell_word(program), image, shell_word(program));
  if (!program.starts_with('/'))
    return fmt::format("{} -v \"$PWD\":\"$PWD\" -w \"$PWD\" {} {}", run, image, shell_word(program));
  // A directory of the system would hide that of the image.
  const auto mounted = is_system_path(program) ? program : std::string(parent_path(program));
  return fmt::format("{} -v {} {} {}", run, shell_word(mounted + ":" + mounted), image, shell_word(program));
}

std::optional<Fix> upgraded_libstdcxx(const std::string& version, const SystemPackages& system) {
  const auto& archive = system.archive();
  const auto newer = archive ? newer_libstdcxx(archive->id, archive->release, version) : std::nullopt;
  if (!newer) return std::nullopt;
  const auto update = system.as_root("apt update") + " && ";
  // An image has hardly any program but those of the system itself.
  const auto first = system.is_container() ? update + system.as_root("apt install -y " + newer->needs) + " && " : "";
  return Fix{
      fmt::format("install {} of {}, which is newer than that of {} {}", newer->package, newer->who, archive->name,
                  archive->release),
      first + system.as_root(newer->enable) + " && " + update + system.as_root("apt install -y " + newer->package),
      "it takes the place of the system's own, which all C++ programs use"};
}

std::vector<Fix> newer_libstdcxx_fixes(const Report& report, const Object& object, const Object& provider,
                                       const std::string& version, Store& store) {
  if (file_name(provider.load_name) != soname || !is_system_path(provider.path) || !object.image) return {};
  const SystemPackages system(store.images);
  const auto newest = newest_of_series(object, version);
  const auto& archive = system.archive();
  std::vector<Fix> fixes;
  // With a newer GCC came a newer glibc, and no copy of libstdc++ helps where that is missed as well.
  const auto& problems = report.resolution.version_problems;
  const bool old_glibc = std::any_of(problems.begin(), problems.end(), [](const VersionProblem& problem) {
    return problem.version.starts_with("GLIBC_") && !problem.weak;
  });
  if (auto upgraded = old_glibc ? std::nullopt : upgraded_libstdcxx(newest, system)) fixes.push_back(*upgraded);
  const auto later = archive ? release_with_libstdcxx(archive->id, newest) : std::nullopt;
  const bool own_has_it = later && !version_less(archive->release, later->release);
  if (auto upgrade = own_has_it ? system.upgrade_of(provider.path) : system.upgrade_of_all(); !upgrade.empty())
    fixes.push_back({"upgrade it: the packages of this system have a newer one", std::move(upgrade), ""});
  else if (later)
    fixes.push_back(later_release(report, *later, system));
  if (fixes.empty()) return {};
  const bool of_glibc = report.resolution.libc.kind == LibcKind::glibc && object.image->machine == EM_X86_64;
  if (!old_glibc && of_glibc && !system.is_container()) fixes.push_back(libstdcxx_beside(short_name(object)));
  fixes.push_back(
      {fmt::format("take a build of {} for this release of the system, or build it here", short_name(object)), "", ""});
  for (std::size_t i = 1; i < fixes.size(); ++i) fixes[i].title.insert(0, "or ");
  return fixes;
}

}  // namespace cudald

// An older soname that the packages of this release no longer have, or a newer one that they do not have yet: what
// installs packages cannot help. Source: data/system-releases.json.

#include "check/fixes/package_releases.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/find_bytes.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/debian_libraries.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

/// "9" of "9.1" beside a bound that is "8"; a bound of Ubuntu or Alpine has two parts.
std::string as_exact_as(const std::string& bound, const std::string& release) {
  const auto parts = static_cast<std::size_t>(std::count(bound.begin(), bound.end(), '.')) + 1;
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts && end != std::string::npos; ++i) end = release.find('.', end == 0 ? 0 : end + 1);
  return release.substr(0, end);
}

bool has_it(const PackagedRelease& range, const std::string& release) {
  if (version_less(as_exact_as(range.first, release), range.first)) return false;
  return range.last.empty() || !version_less(range.last, as_exact_as(range.last, release));
}

std::string range_text(const PackagedRelease& range, const std::string& system) {
  const auto as = range.package.empty() ? "" : fmt::format(", as {}", range.package);
  if (range.first.empty()) return fmt::format("{} {} has it{}", system, range.last, as);
  if (range.last.empty()) return fmt::format("{} has it from {} on{}", system, range.first, as);
  if (range.first == range.last) return fmt::format("only {} {} has it{}", system, range.first, as);
  return fmt::format("{} {} to {} have it{}", system, range.first, range.last, as);
}

/// "Debian" of "debian".
std::string title_of(const std::string& system) {
  constexpr std::pair<std::string_view, std::string_view> titles[] = {
      {"debian", "Debian"}, {"ubuntu", "Ubuntu"}, {"rhel", "Red Hat Enterprise Linux"},
      {"fedora", "Fedora"}, {"alpine", "Alpine"}, {"amzn", "Amazon Linux"}};
  for (const auto& [id, title] : titles)
    if (id == system) return std::string(title);
  return system;
}

/// What a release of Debian had and the next one dropped, by the table of all its libraries.
std::optional<LibraryReleases> dropped_by_debian(const std::string& library, const SystemPackages::Archive& archive) {
  if (archive.id != "debian") return std::nullopt;
  const auto known = debian_library(library);
  if (!known || !is_dropped_by_debian(*known, archive.release)) return std::nullopt;
  const auto release = std::to_string(known->last);
  return LibraryReleases{{{archive.id, known->package, "", release, "debian:" + release}}, {}, "", known->source};
}

/// What a release of Debian or Ubuntu does not have yet, by the same table.
std::optional<LackingRelease> not_yet(const std::string& library, const SystemPackages::Archive& archive) {
  const auto known = debian_library(library);
  if (!known || !came_after(*known, archive.id, archive.release)) return std::nullopt;
  const auto first = std::to_string(known->first);
  const PackagedRelease range{"debian", debian_package(*known, "debian", first), first,
                              known->last == known->first ? first : "", "debian:" + first};
  LackingRelease found;
  found.system = archive.name + " " + archive.release;
  found.text = fmt::format("{} is {}older than it: {}", found.system, archive.id == "debian" ? "" : "likely ",
                           range_text(range, "Debian"));
  found.library = {{range}, {}, "", known->source};
  found.image = range;
  found.later = true;
  return found;
}

/// Of a system none of whose releases had a library, who has it.
std::string others_text(const LibraryReleases& known, const std::string& system) {
  auto text = fmt::format("no release of {} had it", system);
  if (!known.had.empty()) text += "; " + range_text(known.had.front(), title_of(known.had.front().system));
  return text;
}

}  // namespace

std::optional<LackingRelease> lacking_release(const std::string& library, const SystemPackages& system) {
  const auto archive = system.archive();
  if (!archive) return std::nullopt;
  auto known = releases_with(library);
  if (!known) known = dropped_by_debian(library, *archive);
  if (!known) return not_yet(library, *archive);
  const auto of = [&](const PackagedRelease& range) { return range.system == archive->id; };
  const auto own = std::find_if(known->had.begin(), known->had.end(), of);
  const bool never = std::find(known->none.begin(), known->none.end(), archive->id) != known->none.end();
  if (own == known->had.end() && !never) return std::nullopt;
  if (std::any_of(known->had.begin(), known->had.end(),
                  [&](const PackagedRelease& range) { return of(range) && has_it(range, archive->release); }))
    return std::nullopt;
  LackingRelease found;
  found.system = archive->name + " " + archive->release;
  found.text =
      fmt::format("no package of {} has it: {}", found.system,
                  own == known->had.end() ? others_text(*known, archive->name) : range_text(*own, archive->name));
  // An image of the same system is the likeliest to have all else; those of Fedora are only of use there.
  const auto image = [](const PackagedRelease& range) { return !range.image.empty() && range.system != "fedora"; };
  auto place =
      own == known->had.end() || own->image.empty() ? std::find_if(known->had.begin(), known->had.end(), image) : own;
  if (place != known->had.end()) found.image = *place;
  found.library = *std::move(known);
  return found;
}

std::optional<Fix> package_of_release(const std::string& library, const SystemPackages& system) {
  const auto archive = system.archive();
  if (!archive || !system.takes_debian_packages()) return std::nullopt;
  const auto fix = [&](std::string_view who, const std::string& package) {
    return Fix{fmt::format("{}a package of {} {} provides it", who, archive->name, archive->release),
               system.install(package), ""};
  };
  if (const auto known = releases_with(library)) {
    for (const auto& range : known->had)
      if (range.system == archive->id && !range.package.empty() && has_it(range, archive->release))
        return fix("", range.package);
    return std::nullopt;
  }
  const auto known = debian_library(library);
  const auto package = known ? debian_package(*known, archive->id, archive->release) : "";
  if (!package.empty()) return fix(archive->id == "debian" ? "" : "likely ", package);
  if (!known || !may_be_older(*known, archive->id, archive->release)) return std::nullopt;
  const auto first = std::to_string(known->first);
  const auto later = debian_package(*known, "debian", first);
  return Fix{fmt::format("likely the package that is called so in Debian {} provides it", first), system.install(later),
             ""};
}

std::optional<Fix> compat_fix(const std::string& library, const SystemPackages& system) {
  const auto known = compat_package(library);
  if (!known || !system.is(known->system)) return std::nullopt;
  return Fix{fmt::format("install {}, which keeps it beside the newer release", known->package),
             system.install(known->package), ""};
}

std::optional<EarlierPackage> earlier_package(const LackingRelease& lack, const SystemPackages& system) {
  const auto archive = system.archive();
  // The packages of Debian for 32 bits of ARM are for newer processors than those of Raspbian.
  if (!archive || !system.takes_debian_packages() || system.is("raspbian")) return std::nullopt;
  for (const auto& range : lack.library.had) {
    if (range.system != archive->id || range.package.empty()) continue;
    const auto earlier = earlier_archive(range, archive->release, system.mirror());
    if (!earlier) continue;
    const auto list = fmt::format("/etc/apt/sources.list.d/{}.list", earlier->codename);
    return EarlierPackage{fmt::format("echo {} | {} && {} && {} ", shell_word(earlier->line),
                                      system.as_root("tee " + list), system.as_root("apt update"),
                                      system.as_root(system.is_container() ? "apt install -y" : "apt install")),
                          range.package, archive->name + " " + earlier->release, earlier->source};
  }
  return std::nullopt;
}

Fix fix_of(const EarlierPackage& earlier) {
  return {fmt::format("install {} of {} beside what is here", earlier.package, earlier.release),
          earlier.begin + earlier.package,
          "its packages are older than those that are installed, which stay; the list may be removed afterwards"};
}

std::optional<Fix> system_fix(const std::string& library, const SystemPackages& system, const Knowledge& knowledge) {
  if (!system.is_known()) return std::nullopt;
  if (const auto lack = lacking_release(library, system)) {
    const auto earlier = earlier_package(*lack, system);
    return earlier ? std::optional(fix_of(*earlier)) : std::nullopt;
  }
  if (auto package = compat_fix(library, system)) return package;
  if (auto package = package_of_release(library, system)) return package;
  if (system.takes_debian_packages())
    for (const auto& package : system.of_this_release(system_packages_of(library, knowledge)))
      return system.installation_of(package);
  auto fix = system.provider_of(library, true, false);
  if (fix.only_searches || fix.command.empty()) return std::nullopt;
  return fix;
}

std::optional<CondaCopy> copy_of_conda(const LackingRelease& lack, const std::string& program) {
  if (lack.library.conda.empty()) return std::nullopt;
  const auto prefix = "$HOME/" + shell_word("libraries-of-" + program);
  return CondaCopy{fmt::format("conda create -y -p {} -c conda-forge ", prefix), lack.library.conda, prefix + "/lib"};
}

namespace {

/// What apt installs in an image, "ubuntu:22.04", for a library besides the one that the image was chosen for; empty if
/// that is not known.
std::string package_in_image(const std::string& library, const std::string& image) {
  const auto colon = image.find(':');
  if (const auto known = releases_with(library))
    for (const auto& range : known->had)
      if (range.image == image) return range.package;
  const auto known = debian_library(library);
  return known ? debian_package(*known, image.substr(0, colon), image.substr(colon + 1)) : "";
}

/// What installs libraries in an image of a system.
std::string installation_in(const PackagedRelease& range, const std::vector<std::string>& libraries) {
  std::string words;
  for (const auto& library : libraries) {
    std::string word = range.system == "alpine" ? "so:" + library : fmt::format("\"{}()(64bit)\"", library);
    if (range.system == "debian" || range.system == "ubuntu")
      word = library == libraries.front() ? range.package : package_in_image(library, range.image);
    if (!word.empty() && !has_word(words, word, is_space)) words += " " + word;
  }
  if (range.system == "alpine") return "apk add" + words;
  if (range.system == "rhel" || range.system == "fedora") return "dnf install -y" + words;
  return (range.system == "amzn" ? "yum install -y" : "apt-get update && apt-get install -y") + words;
}

}  // namespace

Fix container_fix(const LackingRelease& lack, const std::vector<std::string>& libraries, const std::string& program,
                  const SystemPackages& system) {
  const auto& package = lack.image.package;
  const auto& image = lack.image.image;
  if (system.is_container())
    return {fmt::format("base this image on {}, whose packages have it{}", image,
                        package.empty() ? "" : " (" + package + ")"),
            "", ""};
  // A directory of the system would hide that of the image.
  const auto mounted = is_system_path(program) ? program : std::string(parent_path(program));
  const auto mount =
      program.starts_with('/') ? "-v " + shell_word(mounted + ":" + mounted) : R"(-v "$PWD":"$PWD" -w "$PWD")";
  return {fmt::format("or run it in a container of {}, whose packages have it", image),
          fmt::format("{} {} {} sh -c {}", system.container_run(), mount, image,
                      shell_word(installation_in(lack.image, libraries) + " && " + shell_word(program))),
          "what else it needs may be missing there; a program with windows needs the display as well"};
}

}  // namespace cudald

#include "check/fixes/system_library.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/lost_library.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/conda_library.h"
#include "check/fixes/flatpak.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/other_system.h"
#include "check/fixes/package_releases.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/python_library.h"
#include "check/fixes/snap.h"
#include "knowledge/debian_libraries.h"
#include "knowledge/gpu_use.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"
#include "knowledge/system_releases.h"

namespace cudald {
namespace {

/// One command can install what several libraries need: "sudo apt install " and the package.
void add_remedy(const MissingLibrary& missing) {
  const auto& fix = missing.finding.fixes.front();
  for (const std::string_view verb : {" install ", " add --no-cache ", " add "}) {
    const auto at = fix.command.find(verb);
    if (at == std::string::npos || fix.only_searches || fix.command.find('\n') != std::string::npos) continue;
    const auto begin = at + verb.size();
    if (fix.command.find(' ', begin) == std::string::npos)
      missing.remedies.try_emplace(missing.edge.name,
                                   Remedy{fix.command.substr(0, begin), fix.command.substr(begin), ""});
    return;
  }
}

/// The package of Debian, by its name, that has a library in a release of the system; empty if none is known.
std::string debian_name(const MissingLibrary& missing, const SystemPackages& system, const std::string& library,
                        const std::string& release) {
  constexpr std::string_view install = "apt install ";
  const auto& archive = system.archive();
  const auto known = archive ? debian_library(library) : std::nullopt;
  if (auto package = known ? debian_package(*known, archive->id, release) : ""; !package.empty()) return package;
  for (const auto& row : system.of_this_release(system_packages_of(library, knowledge_of(missing.report))))
    if (row.command.starts_with(install)) return row.command.substr(install.size());
  return "";
}

/// In an image without a shell nothing installs packages: it is given the library when it is built, in the release
/// whose C library all of the process can use.
bool add_to_distroless(const MissingLibrary& missing, const SystemPackages& system) {
  if (!system.is_distroless() || !system.archive()) return false;
  constexpr std::string_view of_glibc = "GLIBC_";
  const auto& [id, name, own] = *system.archive();
  auto release = own;
  for (const auto& object : missing.report.resolution.objects)
    for (const auto& need : object.image ? object.image->elf.version_needs : std::vector<VersionNeed>())
      for (const auto& version : need.versions) {
        if (!version.name.starts_with(of_glibc)) continue;
        const auto first = release_with_glibc(id, version.name.substr(of_glibc.size()));
        if (first && version_less(release, first->release)) release = first->release;
      }
  const auto package = debian_name(missing, system, missing.edge.name, release);
  if (package.empty()) return false;
  missing.offer({fmt::format("nothing installs packages in a distroless image: base it on {}:{}-slim, and "
                             "install {} in the Dockerfile",
                             id, release, package),
                 "", ""});
  missing.offer({fmt::format("or copy {} into an image of {} {} from the stage that builds the program: COPY "
                             "--from=STAGE",
                             missing.edge.name, name, release),
                 "", "what the library needs must be copied as well"});
  return true;
}

/// A program of 32 bits, on a system of 64 whose packages are for that alone.
bool add_foreign_package(const MissingLibrary& missing, const SystemPackages& system) {
  const auto architecture = system.foreign_architecture(*missing.requester.image);
  const auto package = architecture.empty() || !system.archive()
                           ? std::string()
                           : debian_name(missing, system, missing.edge.name, system.archive()->release);
  if (package.empty()) return false;
  missing.offer({fmt::format("install {} for {}, beside what is here for 64 bits", package, architecture),
                 system.install_foreign(package, architecture), ""});
  add_remedy(missing);
  return true;
}

/// A link of the system that leads to no file: its package is installed, and lacks the file, by itself or since. To
/// install the library once more finds it installed. Source: github.com/openwrt/packages issue 29387.
bool add_lost_target(const MissingLibrary& missing, const SystemPackages& system) {
  for (const auto& probe : missing.edge.search.probes) {
    const auto path = missing.place_of(probe);
    if (probe.result != ProbeResult::absent || !probe.detail.starts_with("a symbolic link") || !is_system_path(path) ||
        path.starts_with("/usr/local/"))
      continue;
    const auto again = system.again(path), upgrade = system.upgrade_of(path);
    if (again.empty()) return false;
    missing.offer(
        {fmt::format("install the package of {} again: the file that the link leads to is gone", path), again, ""});
    if (!upgrade.empty())
      missing.offer({"if it is still not there, the package itself lacks it: a newer one may have it", upgrade, ""});
    return true;
  }
  return false;
}

/// "/lib/libx.so.1" of /usr/lib/libx.so.1: most systems have one directory for both.
std::string_view without_usr(std::string_view path) {
  constexpr std::string_view usr = "/usr";
  return path.substr(path.starts_with("/usr/") ? usr.size() : 0);
}

/// A library that an installed package should have where the loader looks.
bool add_gone_file(const MissingLibrary& missing, const SystemPackages& system) {
  const auto lost = lost_library(missing.edge.name, missing.images);
  const auto again = lost ? system.install_again(lost->package) : std::string();
  if (again.empty() || !missing.is_tried([&](const Probe& probe) {
        return without_usr(missing.place_of(probe)) == without_usr(lost->path);
      }))
    return false;
  missing.finding.message += fmt::format("; {}, which is installed, has it, and its file is gone", lost->package);
  missing.finding.evidence.push_back({fmt::format("{} lists {}, and no such file is there", lost->package, lost->path),
                                      lost->path, Basis::proven, ""});
  missing.offer({fmt::format("install {} again", lost->package), again, ""});
  return true;
}

/// A plug-in that asks for a library of the program which opens it, as that was in another release: a second copy of
/// the library would know nothing of what the program does. Source: github.com/FiniteSingularity/obs-composite-blur
/// issue 130.
bool add_build_for_program(const MissingLibrary& missing) {
  constexpr std::size_t shortest = 3;
  const auto& objects = missing.report.resolution.objects;
  const auto program = short_name(objects.front());
  const auto stem = unversioned_name(missing.edge.name);
  if (missing.requester.main_program || missing.requester.loader || program.size() < shortest ||
      stem == missing.edge.name || !stem.starts_with("lib" + program))
    return false;
  const auto own = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
    return !object.unmapped && object.loader && unversioned_name(short_name(object)) == stem;
  });
  if (own == objects.end()) return false;
  const auto plug_in = short_name(missing.requester), library = short_name(*own);
  missing.finding.message += fmt::format("; {} is itself of the release that has {}, and {} was built for another one",
                                         program, library, plug_in);
  missing.finding.evidence.push_back({fmt::format("{} has loaded {}", program, library), own->path, Basis::proven, ""});
  missing.offer({fmt::format("take the build of {} for the {} that is here, with {}, as one for this release of the "
                             "system is; or compile it here",
                             plug_in, program, library),
                 "", ""});
  missing.finding.does_not_help.push_back(
      fmt::format("installing {}: {} keeps its own copy", missing.edge.name, program));
  return true;
}

/// What helps against all that a file misses is one command.
void add_for_all(const MissingLibrary& missing, Fix fix) {
  if (!fix.command.empty()) missing.remedies.try_emplace(missing.edge.name, Remedy{"", "", "", fix.command});
  missing.offer(std::move(fix));
}

/// In AWS Lambda nothing can be installed: what a function needs is in its deployment package, below /var/task, of
/// which lib is searched where the function sets no LD_LIBRARY_PATH of its own. Sources: AWS Lambda, Using environment
/// variables, "Defined runtime environment variables"; github.com/jameshy/pgdump-aws-lambda issue 15,
/// github.com/stojanovic/lambda-audio issue 5.
bool add_to_deployment(const MissingLibrary& missing, const SystemPackages& system) {
  const std::string root = "/var/task/";
  const auto& archive = system.archive();
  if (!missing.requester.path.starts_with(root) || !missing.images.folder_exists("/var/runtime") || !archive ||
      archive->id != "amzn" || missing.edge.name.find('/') != std::string::npos ||
      shell_word(missing.edge.name) != missing.edge.name)
    return false;  // a name that a shell would read as more is put into no command of another shell
  std::string folder = "lib";
  const auto searched = missing.report.query.environment.variable("LD_LIBRARY_PATH").value_or("");
  if (!searched.empty() && (searched + ":").find(root + "lib:") == std::string::npos)
    for (const auto element : split(searched, ":"))
      if (element.starts_with(root)) folder = element.substr(root.size());
  const auto install =
      fmt::format("yum install -y \"{0}()(64bit)\" && cp -L \"/usr/lib64/{0}\" /out", missing.edge.name);
  missing.offer(
      {fmt::format("add it to the deployment package, in {}, from an image of {} {}", folder, archive->name,
                   archive->release),
       fmt::format("docker run --rm -v {} amazonlinux:{} sh -c {}", fmt::format("\"$PWD\"/{}:/out", shell_word(folder)),
                   archive->release, shell_word(install)),
       "in the directory of the package's sources"});
  return true;
}

/// A release of Debian has a library in one version, as a rule: to search its packages for another one is in vain.
void add_other_version(const MissingLibrary& missing, const SystemPackages& system) {
  const auto stem = unversioned_name(missing.edge.name);
  if (!system.archive() || stem == missing.edge.name || is_of_python(missing.requester)) return;
  for (const auto& other : system.of_this_release(system_packages_of(stem, knowledge_of(missing.report)))) {
    constexpr std::string_view install = "apt install ";
    if (other.likely || !other.command.starts_with(install)) continue;
    const auto release = system.archive()->name + " " + system.archive()->release;
    const auto text =
        fmt::format("{} has {} in another version, as {}", release, stem, other.command.substr(install.size()));
    missing.finding.message += "; " + text;
    missing.finding.evidence.push_back({text, "", Basis::table, other.source});
    missing.offer(
        {fmt::format("take a build of {} for {}, or compile it here", short_name(missing.requester), release), "", ""});
    return;
  }
}

/// A repository of others that has for this system what the system itself has not.
void add_elsewhere(const MissingLibrary& missing, const LackingRelease& lack, const SystemPackages& system) {
  for (const auto& each : lack.library.elsewhere) {
    if (each.system != system.archive()->id) continue;
    const auto install = system.install(each.package);
    const auto begin = system.as_root(each.enable) + " && " + install.substr(0, install.size() - each.package.size());
    missing.remedies.try_emplace(missing.edge.name, Remedy{begin, each.package, ""});
    missing.offer({fmt::format("install {} of {}", each.package, each.who), begin + each.package,
                   fmt::format("that is not a part of {}", system.archive()->name)});
  }
}

/// No package of this release of the system has it, so that none can be installed: what was compiled here is compiled
/// again; to any other program the library is given from elsewhere.
bool add_lacking_release(const MissingLibrary& missing, const SystemPackages& system) {
  const auto lack = lacking_release(missing.edge.name, system);
  if (!lack) return false;
  missing.finding.message += "; " + lack->text;
  missing.finding.evidence.push_back({lack->text, "", Basis::table, lack->library.source});
  if (auto again = build_again(missing.requester.path, missing.store)) {
    add_for_all(missing, *std::move(again));
    return true;
  }
  if (is_of_python(missing.requester)) add_newer_release(missing);
  const auto name = short_name(missing.requester);
  // An image of a container has no conda.
  const bool takes_conda = missing.requester.image->machine == EM_X86_64 &&
                           missing.requester.image->format == Format::elf64 &&
                           missing.report.resolution.libc.kind == LibcKind::glibc && !system.is_container();
  add_elsewhere(missing, *lack, system);
  const auto earlier = missing.requester.image->machine == EM_X86_64 && missing.requester.image->format == Format::elf64
                           ? earlier_package(*lack, system)
                           : std::nullopt;
  if (earlier) {
    missing.remedies.try_emplace(missing.edge.name, Remedy{earlier->begin, earlier->package, ""});
    missing.offer(fix_of(*earlier));
  }
  auto title = fmt::format("{}take a build of {} for {}, or compile it here",
                           !missing.finding.fixes.empty() ? "or "
                           : lack->later                  ? "upgrade the system to a release that has it, or "
                                                          : "",
                           name, lack->system);
  if (const auto copy = takes_conda ? copy_of_conda(*lack, name) : std::nullopt) {
    missing.remedies.try_emplace(missing.edge.name, Remedy{copy->install, copy->words, copy->folder});
    missing.offer(
        {title + fmt::format("; or give this one the {} of conda-forge", missing.edge.name),
         copy->install + copy->words + "\n" + export_search_path({copy->folder}, missing.installer().python()),
         "for this shell; every program started from it then prefers the libraries in that directory"});
    missing.finding.fixes.back().sets_search_path = true;
  } else {
    missing.offer({std::move(title), "", ""});
  }
  const auto& program = missing.report.resolution.objects.front();
  if (lack->image.image.empty() || !program.image || !program.path.starts_with('/')) return true;
  std::vector<std::string> libraries{missing.edge.name};
  for (const auto& other : missing.requester.edges)
    if (!other.object && other.hard && other.name != missing.edge.name && shell_word(other.name) == other.name)
      libraries.push_back(other.name);
  auto image = container_fix(*lack, libraries, program.path, system);
  // Who has an image of a container builds it.
  missing.finding.fixes.insert(system.is_container() ? missing.finding.fixes.begin() : missing.finding.fixes.end(),
                               std::move(image));
  return true;
}

/// What lies in a directory of who makes it, as /opt/rocm, came from a repository of theirs, which has the rest as
/// well.
bool add_vendor_package(const MissingLibrary& missing, const SystemPackages& system) {
  const auto vendor = vendor_package(missing.requester.path, missing.edge.name);
  if (!vendor || std::none_of(vendor->systems.begin(), vendor->systems.end(),
                              [&](const std::string& word) { return system.is(word); }))
    return false;
  missing.finding.evidence.push_back(
      {fmt::format("{} is of {}", missing.edge.name, vendor->who), "", Basis::table, vendor->source});
  missing.offer({fmt::format("install it from the repository that {} came from, as a part of {}",
                             short_name(missing.requester), vendor->package),
                 system.install(vendor->package), ""});
  add_remedy(missing);
  return true;
}

/// Of a file that lies where it belongs, and was made for another machine, the right build belongs there.
bool add_right_build(const MissingLibrary& missing) {
  for (const auto& probe : missing.edge.search.probes) {
    if (probe.result != ProbeResult::wrong_machine && probe.result != ProbeResult::wrong_class) continue;
    missing.offer(
        {fmt::format("put the build for {} of {} in its place: {} was made for another machine",
                     machine_name(missing.requester.image->machine), file_name(missing.edge.name), probe.path),
         "", ""});
    return true;
  }
  return false;
}

/// Whether a file of the system needs a library that lies in a directory of one package: /usr/lib/systemd.
bool is_of_system_package(const std::string& path, const std::vector<Whereabouts>& found) {
  const std::string folder(parent_path(found.front().path));
  const auto above = file_name(parent_path(folder));
  return found.front().fits && is_system_path(path) && is_system_path(folder + "/x") &&
         file_name(folder).find("linux-gnu") == std::string_view::npos &&
         (above.starts_with("lib") || above.find("linux-gnu") != std::string_view::npos);
}

/// Where only another version of a library is installed, the file was made with one that was there before.
void add_other_release(const MissingLibrary& missing) {
  // One package has both: an upgrade of it stopped half-way.
  const auto again = is_of_system_package(missing.requester.path, missing.found)
                         ? SystemPackages(missing.images).again(missing.requester.path)
                         : "";
  if (!again.empty())
    return missing.offer({fmt::format("install the package of {} again: it is of another release than {}",
                                      short_name(missing.requester), file_name(missing.found.front().path)),
                          again, ""});
  const SystemPackages system(missing.images);
  const auto other =
      std::find_if(missing.found.begin(), missing.found.end(), [](const Whereabouts& where) { return where.fits; });
  // Of packages from elsewhere, as those of ROS, one was built again for a library that is still of an earlier release.
  if (other != missing.found.end() && system.owns_in_opt(missing.requester.path) && system.owns_in_opt(other->path))
    missing.offer({fmt::format("bring the packages of {} and {} to releases that go together",
                               short_name(missing.requester), file_name(other->path)),
                   system.upgrade_of(missing.requester.path, other->path), ""});
  if (const auto all = system.upgrade_of_all(); !all.empty() && is_system_path(missing.requester.path))
    missing.offer(
        {fmt::format(
             "upgrade all packages, of which {} is then one of another release; what comes from the AUR is to be "
             "built again",
             short_name(missing.requester)),
         all, ""});
  missing.offer({fmt::format("build or install {} again: it was made with another release of the library",
                             short_name(missing.requester)),
                 is_system_path(missing.requester.path) ? system.rebuild_of(missing.requester.path) : "", ""});
}

}  // namespace

void add_system_package(const MissingLibrary& missing) {
  const SystemPackages system(missing.images);
  if (add_lost_target(missing, system) || add_gone_file(missing, system)) return;
  if (add_build_for_program(missing)) return;
  if (add_flatpak(missing.requester.path, missing.edge.name, missing.images.files(), missing.finding)) return;
  if (add_snap(missing.requester.path, missing.edge.name, missing.images.files(), missing.finding)) return;
  if (add_vendor_package(missing, system)) return;
  if (add_other_system(missing.requester, missing.edge.name, system, missing.finding)) return;
  if (add_lacking_release(missing, system)) return;
  if (add_to_deployment(missing, system) || add_to_distroless(missing, system) || add_foreign_package(missing, system))
    return;
  if (system.takes_debian_packages())
    for (const auto& package :
         system.of_this_release(system_packages_of(missing.edge.name, knowledge_of(missing.report)))) {
      auto fix = system.installation_of(package);
      fix.command = in_environment_of(missing, fix.command);
      fix.side_effect = fmt::format("it lands in {}", package.folder);
      missing.offer(std::move(fix));
    }
  const bool wide = missing.requester.image->format == Format::elf64;
  if (missing.finding.fixes.empty() && add_own_part(missing)) return add_remedy(missing);
  for (const auto& installed : {compat_fix, package_of_release})
    if (auto package = missing.finding.fixes.empty() && wide ? installed(missing.edge.name, system) : std::nullopt)
      missing.offer(*std::move(package));
  if (!missing.finding.fixes.empty()) return add_remedy(missing);
  // Which release of a package is for which CUDA is known of those that are, and no guess.
  const bool other =
      std::any_of(missing.found.begin(), missing.found.end(), [](const Whereabouts& where) { return where.fits; });
  if ((missing.finding.code == "CUD102" || (missing.finding.code == "CUD103" && other)) &&
      !is_cuda_library_name(missing.edge.name)) {
    const bool of_conda = missing.store.installed.is_of_conda(missing.requester.path);
    auto again = other ? build_again(missing.requester.path, missing.store) : std::nullopt;
    if (again) add_for_all(missing, *std::move(again));
    if (missing.finding.fixes.empty() && other && !of_conda && !is_of_python(missing.requester))
      add_other_release(missing);
    add_newer_release(missing);
  }
  auto package = system.provider_of(missing.edge.name, wide, is_of_python(missing.requester));
  const bool by_path = missing.edge.name.find('/') != std::string::npos;
  if (package.only_searches && missing.finding.fixes.empty()) add_other_version(missing, system);
  if ((package.only_searches || by_path) && add_right_build(missing)) return;
  if (missing.finding.fixes.empty() || !package.only_searches) missing.offer(std::move(package));
  add_remedy(missing);
}

}  // namespace cudald

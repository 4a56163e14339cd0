#include "check/fixes/library_fixes.h"

#include <elf.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "base/wildcard.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/other_abi.h"
#include "check/findings/system_packages.h"
#include "check/fixes/admission_fixes.h"
#include "check/fixes/build_again.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/flatpak.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/lacked_requirement.h"
#include "check/fixes/other_system.h"
#include "check/fixes/package_releases.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/preload_fixes.h"
#include "check/fixes/wheel_recipe.h"
#include "knowledge/conda_packages.h"
#include "knowledge/debian_libraries.h"
#include "knowledge/framework_builds.h"
#include "knowledge/frameworks.h"
#include "knowledge/gpu_use.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"
#include "loader/search_path.h"
#include "machine/ld_so_conf.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {
namespace {

/// "12" where all of NVIDIA's packages in a site-packages folder that name a CUDA are for that one: nvidia-cudnn-cu12.
std::string installed_cuda_major(const std::string& site, Store& state) {
  const auto names = state.images.files().list(site);
  std::set<std::string> majors;
  for (const auto& entry : names ? *names : std::vector<std::string>()) {
    const auto dash = entry.find('-'), mark = entry.rfind("_cu", dash);
    if (!entry.starts_with("nvidia_") || !entry.ends_with(".dist-info") || mark == std::string::npos) continue;
    majors.insert(entry.substr(mark + 3, dash - mark - 3));
  }
  return majors.size() == 1 ? *majors.begin() : "";
}

/// "11" if what the object asks for, it itself, or all runtimes of the process are of CUDA 11; empty if nothing tells.
std::string cuda_major(const Object& object, const Report& report, Store& state) {
  for (const auto& edge : object.edges)
    for (const std::string_view stem : {"libcudart.so.", "libcublas.so."})
      if (edge.name.starts_with(stem)) return edge.name.substr(stem.size(), 2);
  if (const auto cuda = object.cuda ? most_telling(object.path, state) : nullptr; cuda && !cuda->built_for_cuda.empty())
    return cuda->built_for_cuda.substr(0, cuda->built_for_cuda.find('.'));
  std::set<int> majors;
  for (const auto id : all_runtimes(report.resolution)) majors.insert(report.resolution.objects[id].cuda->major);
  if (majors.size() == 1 && *majors.begin() != 0) return std::to_string(*majors.begin());
  return majors.empty() ? installed_cuda_major(Installer(report, object, state.images.files()).site(), state) : "";
}

/// "onnxruntime-gpu", "cuda" and "==1.23.2" of onnxruntime-gpu[cuda]==1.23.2.
struct WordWithExtra {
  std::string name, extras, version;

  explicit WordWithExtra(const std::string& word) {
    const auto open = word.find('['), close = word.find(']');
    if (open == std::string::npos || close == std::string::npos) return;
    name = word.substr(0, open);
    extras = word.substr(open + 1, close - open - 1);
    version = word.substr(close + 1);
  }
};

/// Of two releases of one package, "cudatoolkit=11.1" and "cudatoolkit=11.8", the older: only it has what asks for it.
/// Extras of one package become one word.
void add_requirement(std::set<std::string>& words, const std::string& word) {
  const auto name = word.substr(0, word.find('=') + 1);
  const WordWithExtra own(word);
  for (const auto& other : words) {
    const WordWithExtra known(other);
    if (!own.name.empty() && own.name == known.name && own.version == known.version) {
      const auto extras = known.extras + "," + own.extras;
      if (("," + known.extras + ",").find("," + own.extras + ",") != std::string::npos) return;
      words.erase(other);
      words.insert(own.name + "[" + extras + "]" + own.version);
      return;
    }
    if (name.ends_with('=') && !name.ends_with("==") && other.starts_with(name) && own.name.empty()) {
      const auto older = std::min(word, other);
      words.erase(other);
      words.insert(older);
      return;
    }
  }
  words.insert(word);
}

/// Whether a file lies where packages of Python are installed, or in a wheel.
bool is_of_python(const Object& requester) {
  return requester.package || requester.path.find("-packages/") != std::string::npos ||
         requester.path.find(".whl!") != std::string::npos;
}

/// What a command of the system's table asks pip for: "tensorrt-cu12-libs==10.*"; nullopt if it is none of pip.
std::optional<Requirement> asked_of_pip(const std::string& command) {
  constexpr std::string_view pip = "pip install ";
  if (!command.starts_with(pip)) return std::nullopt;
  auto wanted = command.substr(pip.size());
  std::erase(wanted, '\'');
  return parse_requirement(wanted);
}

/// What installs a package of Python that the system's table names: into the requester's environment, and where that is
/// a part of the same project, as tensorrt-cu12-bindings is beside tensorrt-cu12-libs, in its release.
std::string in_environment_of(const Object& requester, const Installer& installer, const std::string& command) {
  const auto wanted = asked_of_pip(command);
  if (!wanted || installer.site().empty()) return command;
  const auto project = [](const std::string& name) { return name.substr(0, name.rfind('-')); };
  const auto own = requester.package ? normal_distribution_name(requester.package->name) : "";
  const bool is_part = own.find('-') != std::string::npos && project(own) == project(wanted->name);
  return installer.install() +
         shell_word(wanted->name + (is_part ? "==" + requester.package->version : wanted->specifiers));
}

}  // namespace

const std::string& LibraryFixes::cuda_major_of(const Object& requester) {
  const auto [place, is_new] = cuda_majors_.try_emplace(&requester);
  if (is_new) place->second = cuda_major(requester, report_, state_);
  return place->second;
}

const Installer& LibraryFixes::installer_of(const Object& requester) const {
  return installers_.try_emplace(&requester, report_, requester, images_.files()).first->second;
}

void LibraryFixes::add_fixes(const std::vector<Whereabouts>& found, const Probe* decisive, Finding& finding) {
  const auto& requester = requester_of(finding);
  const auto& edge = requester.edges[*finding.edge];
  if (edge.kind == EdgeKind::preload) return add_preload_fixes(report_, edge, found, images_, finding);
  if (auto without = without_preload(report_, *finding.object)) {
    finding.message += fmt::format("; {} is a preload", short_name(requester));
    finding.fixes.push_back(*std::move(without));
    const bool there =
        std::any_of(found.begin(), found.end(), [](const Whereabouts& w) { return w.exact_name && w.fits; });
    if (!there) return;
  }
  if (decisive != nullptr) return add_mended_file(found, *decisive, finding);
  if (edge.name == "libcuda.so.1" || (edge.name == "libcuda.so" && found.empty())) {
    for (auto& fix : driver_fixes(images_)) finding.fixes.push_back(std::move(fix));
    finding.does_not_help.push_back(
        "the toolkit's stubs/libcuda.so: it is for linking only and answers every call with an error");
    return;
  }
  if (found.empty() && is_driver_library(edge.name)) {
    for (auto& fix : driver_fixes(images_, edge.name)) finding.fixes.push_back(std::move(fix));
    return;
  }
  if (add_lost_file(requester, edge, finding) || add_other_libc(edge, finding)) return;
  for (const auto& probe : edge.search.probes)
    if (probe.result == ProbeResult::abi_too_new) return add_admitted_kernel(probe.path, finding);
  add_file_that_is_there(found, requester, edge, finding);
  const bool here = !finding.fixes.empty();
  if (!here && !add_required_package(requester, edge, finding) && !add_lacked_requirement(requester, edge, finding) &&
      !add_framework(requester, edge, finding)) {
    add_installs(requester, edge, finding);
    add_build_for_installed_cuda(found, requester, finding);
  }
  add_useless_link(found, requester, edge, finding);
  for (const auto& probe : edge.search.probes)
    if (probe.result != ProbeResult::absent && probe.result != ProbeResult::found)
      add_lost_file_at(requester, normal_path(absolute_path(probe.path, report_.query.environment.cwd)), finding);
  if (finding.fixes.empty()) add_system_package(found, requester, edge, finding);
}

/// A library that is built for musl asks for musl's own files, which answer for no process of glibc.
bool LibraryFixes::add_other_libc(const Edge& edge, Finding& finding) const {
  if (!is_of_musl(edge.name) || report_.resolution.libc.kind != LibcKind::glibc) return false;
  const auto name = short_name(requester_of(finding));
  finding.fixes.push_back({fmt::format("take the build of {} for glibc, or compile it on this system", name), "", ""});
  finding.fixes.push_back({"or run the whole program where musl is the C library (Alpine)", "", ""});
  finding.does_not_help.push_back(
      fmt::format("installing musl, or a link named {}: two C libraries in one process do not work", edge.name));
  return true;
}

/// A file whose note asks for a newer kernel than runs: only loaders of glibc before 2.36 mind.
void LibraryFixes::add_admitted_kernel(const std::string& path, Finding& finding) const {
  finding.fixes.push_back({"take the note out of the file",
                           SystemPackages(images_).as_root("strip --remove-section=.note.ABI-tag " + shell_word(path)),
                           "functions that need the newer kernel fail when they are called"});
  finding.fixes.push_back({"or run it on a newer kernel, or with glibc 2.36 or later, which does not ask", "", ""});
}

/// The library is there: in a directory that is not searched, or under another name.
void LibraryFixes::add_file_that_is_there(const std::vector<Whereabouts>& found, const Object& requester,
                                          const Edge& edge, Finding& finding) {
  for (const auto& probe : edge.search.probes)
    if (const std::string element(parent_path(absolute_path(probe.path, report_.query.environment.cwd)));
        is_file(images_.files(), element)) {
      finding.evidence.push_back({fmt::format("the {} names {}, a file: an element of a search path is a directory",
                                              to_string(probe.rule), element),
                                  element, Basis::proven, ""});
      break;
    }
  for (const auto& where : found)
    if (where.exact_name && where.fits) {
      if (edge.name.find('/') != std::string::npos) return add_plain_name(where, requester, edge, finding);
      const std::string folder(parent_path(where.path));
      const bool by_import = add_framework_import(requester, where.path, finding);
      const auto for_all = add_path_fixes(requester, where.path, finding);
      if (!by_import)
        remedies_[*finding.object][edge.name] =
            for_all.empty() ? Remedy{"", "", shell_folder(folder)} : Remedy{"", "", "", for_all};
      return;
    }
  if (const auto* target = linker_target(edge, found)) return add_link(*target, requester, edge, finding);
  for (const auto& where : found)
    if (where.renamed && where.fits) return add_replaced_name(where, requester, edge, finding);
  for (const auto& where : found)
    if (where.other_case && where.fits) return add_link(where, requester, edge, finding);
  for (const auto& where : found)
    if (where.same_soname && where.fits) return add_link(where, requester, edge, finding);
}

/// A name with a slash is opened as it is: without a DT_SONAME of the library, the linker writes the path by which it
/// was given one. Source: GNU ld, "-soname".
void LibraryFixes::add_plain_name(const Whereabouts& where, const Object& requester, const Edge& edge,
                                  Finding& finding) {
  const std::string folder(parent_path(where.path)), name(file_name(where.path));
  if (edge.kind == EdgeKind::dlopen) {
    finding.fixes.push_back({fmt::format("open {} instead", where.path), "", ""});
    return;
  }
  if (!images_.open(where.path).image->soname)
    finding.evidence.push_back({fmt::format("{} has no DT_SONAME: the linker wrote the path that it was given", name),
                                where.path, Basis::proven, ""});
  if (packages_.package_of(requester.path) != nullptr) return;
  std::vector<FileEdit> edits{{requester.path, FileEdit::Kind::rename_needed, name, edge.name}};
  if (!is_in_own_search(requester, folder)) edits.push_back(added_directory(requester, folder));
  finding.fixes.push_back(
      patchelf_fix("ask for the library by its name alone", std::move(edits), requester, packages_));
  finding.fixes.push_back({fmt::format("maintainer fix: link {} with -Wl,-soname,{}", name, name), "", ""});
}

/// Whether the search path in a file names a directory.
bool LibraryFixes::is_in_own_search(const Object& requester, const std::string& folder) const {
  const auto& elf = requester.image->elf;
  const auto& list = elf.runpath ? elf.runpath : elf.rpath;
  if (!list) return false;
  const auto folders = folders_of(*list, ":", {requester.origin, "lib", ""});
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& each) {
    return normal_path(absolute_path(each, report_.query.environment.cwd)) == folder;
  });
}

/// A link with the name that is asked for, beside the file; and the search must come there.
void LibraryFixes::add_link(const Whereabouts& where, const Object& requester, const Edge& edge, Finding& finding) {
  const std::string folder(parent_path(where.path)), target(file_name(where.path));
  if (is_system_path(where.path) && images_.folder_exists("/sysroot/ostree"))
    return add_own_link(where, requester, edge, finding);
  const bool searched = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    // By its own name: a loader says /lib64 for /usr/lib64.
    const std::string place(parent_path(normal_path(absolute_path(probe.path, report_.query.environment.cwd))));
    const auto real = images_.files().real_path(place);
    return place == folder || (real && *real == folder);
  });
  const bool replaces = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [](const Probe& probe) {
    return probe.result == ProbeResult::absent && probe.detail.starts_with("a symbolic link");
  });
  auto command =
      fmt::format("ln -s{} {} {}", replaces ? "f" : "", shell_word(target), shell_word(folder + "/" + edge.name));
  if (is_system_path(folder) || folder.starts_with("/opt/")) command = SystemPackages(images_).as_root(command);
  if (!searched) command += "\n" + export_search_path({shell_folder(folder)}, installer_of(requester).python());
  finding.fixes.push_back({"give the library the name it is needed by", std::move(command), ""});
  if (where.same_soname || where.other_case) return;
  finding.fixes.push_back(
      {fmt::format("or install its development package, which has {} (NAME-dev on Debian, NAME-devel "
                   "on Fedora and SUSE)",
                   edge.name),
       "", ""});
  finding.fixes.push_back(
      {fmt::format("maintainer fix: open {}, the name that packages for running have", target), "", ""});
}

/// Where /usr cannot be written to, as on Fedora Silverblue: the link lies beside the program if that is searched, else
/// in a directory of the user's own. Source: OSTree, "Adapting existing systems", /usr is read-only.
void LibraryFixes::add_own_link(const Whereabouts& where, const Object& requester, const Edge& edge,
                                Finding& finding) const {
  const std::string beside(parent_path(requester.path));
  const bool searched = !is_system_path(requester.path) && is_in_own_search(requester, beside);
  const auto folder = searched ? shell_word(beside) : std::string("$HOME/.local/lib");
  auto command = fmt::format("ln -s {} {}/{}", shell_word(where.path), folder, shell_word(edge.name));
  if (!searched)
    command =
        "mkdir -p " + folder + " && " + command + "\n" + export_search_path({folder}, installer_of(requester).python());
  finding.fixes.push_back(
      {"give the library the name it is needed by, where /usr cannot be written to", std::move(command), ""});
}

/// A wheel's repair tool renames the libraries that it copies: who asks by the other name is given the right one.
void LibraryFixes::add_replaced_name(const Whereabouts& where, const Object& requester, const Edge& edge,
                                     Finding& finding) {
  const std::string folder(parent_path(where.path)), name(file_name(where.path));
  finding.evidence.push_back(
      {fmt::format("{} is the same library under {}", where.path,
                   is_renamed_copy(name) ? "the name that the wheel's repair tool gave it" : "its original name"),
       where.path, Basis::proven, ""});
  if (packages_.package_of(requester.path) != nullptr || edge.kind == EdgeKind::dlopen) return;
  std::vector<FileEdit> edits{{requester.path, FileEdit::Kind::rename_needed, name, edge.name}};
  const bool searched = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    return parent_path(normal_path(absolute_path(probe.path, report_.query.environment.cwd))) == folder;
  });
  if (!searched) edits.push_back(added_directory(requester, folder));
  finding.fixes.push_back(patchelf_fix("ask for it by the name that it has", std::move(edits), requester, packages_));
  // The copy is one that another package keeps for itself; the library of NVIDIA's own package is for all.
  if (is_cuda_library_name(edge.name)) add_installs(requester, edge, finding);
}

/// Of another version of the library: that a link to it fails is proven by a version that it does not define, and of
/// NVIDIA's libraries by their rule: the number in the soname changes with the ABI.
void LibraryFixes::add_useless_link(const std::vector<Whereabouts>& found, const Object& requester, const Edge& edge,
                                    Finding& finding) const {
  for (const auto& where : found) {
    if (where.exact_name || where.same_soname || where.renamed || where.other_case || !where.fits) continue;
    const auto& defined = images_.open(where.path).image->elf.version_definitions;
    for (const auto& need : requester.image->elf.version_needs)
      for (const auto& version : need.versions)
        if (need.file == edge.name && !version.weak &&
            std::none_of(defined.begin(), defined.end(), [&](const auto& each) { return each.name == version.name; })) {
          finding.does_not_help.push_back(fmt::format("a symlink {} -> {}: {} does not define the version {}",
                                                      edge.name, file_name(where.path), file_name(where.path),
                                                      version.name));
          return;
        }
    if (providers_of(edge.name, knowledge_of(report_)).empty()) continue;
    finding.does_not_help.push_back(
        fmt::format("a symlink {} -> {}: its ABI is different, so that functions are missing "
                    "or work differently",
                    edge.name, file_name(where.path)));
    return;
  }
}

/// A library that nothing is known of, and that is searched for beside the requester, is of the requester's package. No
/// RECORD lists it: the package came without it, or was compiled so.
bool LibraryFixes::add_own_part(const Object& requester, const Edge& edge, Finding& finding) {
  const auto& installer = installer_of(requester);
  const auto beside = fmt::format("{}/{}", parent_path(requester.path), edge.name);
  const bool is_own = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    const bool by_requester = probe.rule == SearchRule::runpath || probe.rule == SearchRule::rpath;
    return by_requester && normal_path(absolute_path(probe.path, report_.query.environment.cwd)) == beside;
  });
  if (!is_own || finding.code != "CUD101" || !requester.package || installer.site().empty()) return false;
  const auto& [name, version] = *requester.package;
  const auto tags = installed_wheel_tags(images_.files(), installer.site(), name);
  const bool compiled_here = std::any_of(
      tags.begin(), tags.end(), [](const std::string& tag) { return tag.find("-linux_") != std::string::npos; });
  finding.evidence.push_back(
      {fmt::format("{} looks for it in its own directory, and RECORD of {} {} does not list it there",
                   short_name(requester), name, version),
       beside, Basis::proven, ""});
  if (compiled_here)
    finding.fixes.push_back(
        {fmt::format("install {} again: what was built here came without it", name),
         installer.install_again() + "--no-cache-dir " + shell_word(name + "==" + without_local(version)),
         "without the options that the first build was given"});
  else
    finding.fixes.push_back({fmt::format("use another release of {}, which has it", name),
                             installer.install() + "--upgrade " + shell_word(name),
                             fmt::format("if one after {} has it", version)});
  return true;
}

/// Nothing here has it: the system's packages may.
void LibraryFixes::add_system_package(const std::vector<Whereabouts>& found, const Object& requester, const Edge& edge,
                                      Finding& finding) {
  const SystemPackages system(images_);
  if (add_lost_target(system, edge, finding)) return;
  if (add_flatpak(requester.path, edge.name, images_.files(), finding)) return;
  if (add_other_system(requester, edge.name, system, finding)) return;
  if (add_lacking_release(system, found, requester, edge, finding)) return;
  if (add_to_deployment(system, requester, edge, finding) || add_to_distroless(system, edge, finding) ||
      add_foreign_package(system, requester, edge, finding))
    return;
  if (system.takes_debian_packages())
    for (const auto& package : system.of_this_release(system_packages_of(edge.name, knowledge_of(report_)))) {
      auto fix = system.installation_of(package);
      fix.command = in_environment_of(requester, installer_of(requester), fix.command);
      fix.side_effect = fmt::format("it lands in {}", package.folder);
      finding.fixes.push_back(std::move(fix));
    }
  const bool wide = requester.image->format == Format::elf64;
  if (finding.fixes.empty() && add_own_part(requester, edge, finding)) return add_remedy(edge, finding);
  for (const auto& installed : {compat_fix, package_of_release})
    if (auto package = finding.fixes.empty() && wide ? installed(edge.name, system) : std::nullopt)
      finding.fixes.push_back(*std::move(package));
  if (!finding.fixes.empty()) return add_remedy(edge, finding);
  // Which release of a package is for which CUDA is known of those that are, and no guess.
  const bool other = std::any_of(found.begin(), found.end(), [](const Whereabouts& where) { return where.fits; });
  if ((finding.code == "CUD102" || (finding.code == "CUD103" && other)) && !is_cuda_library_name(edge.name)) {
    const bool of_conda = state_.installed.is_of_conda(requester.path);
    auto again = other ? build_again(requester.path, state_) : std::nullopt;
    if (again) finding.fixes.push_back(*std::move(again));
    if (finding.fixes.empty() && other && !of_conda && !is_of_python(requester))
      add_other_release(found, requester, finding);
    add_newer_release(found, requester, finding);
  }
  auto package = system.provider_of(edge.name, wide, is_of_python(requester));
  const bool by_path = edge.name.find('/') != std::string::npos;
  if (package.only_searches && finding.fixes.empty()) add_other_version(system, requester, edge, finding);
  if ((package.only_searches || by_path) && add_right_build(requester, edge, finding)) return;
  if (finding.fixes.empty() || !package.only_searches) finding.fixes.push_back(std::move(package));
  add_remedy(edge, finding);
}

/// The package of Debian, by its name, that has a library in a release of the system; empty if none is known.
std::string LibraryFixes::debian_name(const SystemPackages& system, const std::string& library,
                                      const std::string& release) const {
  constexpr std::string_view install = "apt install ";
  const auto& archive = system.archive();
  const auto known = archive ? debian_library(library) : std::nullopt;
  if (auto package = known ? debian_package(*known, archive->id, release) : ""; !package.empty()) return package;
  for (const auto& row : system.of_this_release(system_packages_of(library, knowledge_of(report_))))
    if (row.command.starts_with(install)) return row.command.substr(install.size());
  return "";
}

/// In an image without a shell nothing installs packages: it is given the library when it is built, in the release
/// whose C library all of the process can use.
bool LibraryFixes::add_to_distroless(const SystemPackages& system, const Edge& edge, Finding& finding) const {
  if (!system.is_distroless() || !system.archive()) return false;
  constexpr std::string_view of_glibc = "GLIBC_";
  const auto& [id, name, own] = *system.archive();
  auto release = own;
  for (const auto& object : report_.resolution.objects)
    for (const auto& need : object.image ? object.image->elf.version_needs : std::vector<VersionNeed>())
      for (const auto& version : need.versions) {
        if (!version.name.starts_with(of_glibc)) continue;
        const auto first = release_with_glibc(id, version.name.substr(of_glibc.size()));
        if (first && version_less(release, first->release)) release = first->release;
      }
  const auto package = debian_name(system, edge.name, release);
  if (package.empty()) return false;
  finding.fixes.push_back({fmt::format("nothing installs packages in a distroless image: base it on {}:{}-slim, and "
                                       "install {} in the Dockerfile",
                                       id, release, package),
                           "", ""});
  finding.fixes.push_back({fmt::format("or copy {} into an image of {} {} from the stage that builds the program: COPY "
                                       "--from=STAGE",
                                       edge.name, name, release),
                           "", "what the library needs must be copied as well"});
  return true;
}

/// A program of 32 bits, on a system of 64 whose packages are for that alone.
bool LibraryFixes::add_foreign_package(const SystemPackages& system, const Object& requester, const Edge& edge,
                                       Finding& finding) {
  const auto architecture = system.foreign_architecture(*requester.image);
  const auto package = architecture.empty() || !system.archive()
                           ? std::string()
                           : debian_name(system, edge.name, system.archive()->release);
  if (package.empty()) return false;
  finding.fixes.push_back({fmt::format("install {} for {}, beside what is here for 64 bits", package, architecture),
                           system.install_foreign(package, architecture), ""});
  add_remedy(edge, finding);
  return true;
}

/// A link of the system that leads to no file: its package is installed, and lacks the file, by itself or since. To
/// install the library once more finds it installed. Source: github.com/openwrt/packages issue 29387.
bool LibraryFixes::add_lost_target(const SystemPackages& system, const Edge& edge, Finding& finding) const {
  for (const auto& probe : edge.search.probes) {
    const auto path = normal_path(absolute_path(probe.path, report_.query.environment.cwd));
    if (probe.result != ProbeResult::absent || !probe.detail.starts_with("a symbolic link") || !is_system_path(path) ||
        path.starts_with("/usr/local/"))
      continue;
    const auto again = system.again(path), upgrade = system.upgrade_of(path);
    if (again.empty()) return false;
    finding.fixes.push_back(
        {fmt::format("install the package of {} again: the file that the link leads to is gone", path), again, ""});
    if (!upgrade.empty())
      finding.fixes.push_back(
          {"if it is still not there, the package itself lacks it: a newer one may have it", upgrade, ""});
    return true;
  }
  return false;
}

/// In AWS Lambda nothing can be installed: what a function needs is in its deployment package, below /var/task, of
/// which lib is searched where the function sets no LD_LIBRARY_PATH of its own. Sources: AWS Lambda, Using environment
/// variables, "Defined runtime environment variables"; github.com/jameshy/pgdump-aws-lambda issue 15,
/// github.com/stojanovic/lambda-audio issue 5.
bool LibraryFixes::add_to_deployment(const SystemPackages& system, const Object& requester, const Edge& edge,
                                     Finding& finding) const {
  const std::string root = "/var/task/";
  const auto& archive = system.archive();
  if (!requester.path.starts_with(root) || !images_.folder_exists("/var/runtime") || !archive ||
      archive->id != "amzn" || edge.name.find('/') != std::string::npos || shell_word(edge.name) != edge.name)
    return false;  // a name that a shell would read as more is put into no command of another shell
  std::string folder = "lib";
  const auto searched = report_.query.environment.variable("LD_LIBRARY_PATH").value_or("");
  if (!searched.empty() && (searched + ":").find(root + "lib:") == std::string::npos)
    for (const auto element : split(searched, ":"))
      if (element.starts_with(root)) folder = element.substr(root.size());
  const auto install = fmt::format("yum install -y \"{0}()(64bit)\" && cp -L \"/usr/lib64/{0}\" /out", edge.name);
  finding.fixes.push_back(
      {fmt::format("add it to the deployment package, in {}, from an image of {} {}", folder, archive->name,
                   archive->release),
       fmt::format("docker run --rm -v {} amazonlinux:{} sh -c {}", fmt::format("\"$PWD\"/{}:/out", shell_word(folder)),
                   archive->release, shell_word(install)),
       "in the directory of the package's sources"});
  return true;
}

/// A release of Debian has a library in one version, as a rule: to search its packages for another one is in vain.
void LibraryFixes::add_other_version(const SystemPackages& system, const Object& requester, const Edge& edge,
                                     Finding& finding) const {
  const auto stem = unversioned_name(edge.name);
  if (!system.archive() || stem == edge.name || is_of_python(requester)) return;
  for (const auto& other : system.of_this_release(system_packages_of(stem, knowledge_of(report_)))) {
    constexpr std::string_view install = "apt install ";
    if (other.likely || !other.command.starts_with(install)) continue;
    const auto release = system.archive()->name + " " + system.archive()->release;
    const auto text =
        fmt::format("{} has {} in another version, as {}", release, stem, other.command.substr(install.size()));
    finding.message += "; " + text;
    finding.evidence.push_back({text, "", Basis::table, other.source});
    finding.fixes.push_back(
        {fmt::format("take a build of {} for {}, or compile it here", short_name(requester), release), "", ""});
    return;
  }
}

/// No package of this release of the system has it, so that none can be installed: what was compiled here is compiled
/// again; to any other program the library is given from elsewhere.
bool LibraryFixes::add_lacking_release(const SystemPackages& system, const std::vector<Whereabouts>& found,
                                       const Object& requester, const Edge& edge, Finding& finding) {
  const auto lack = lacking_release(edge.name, system);
  if (!lack) return false;
  finding.message += "; " + lack->text;
  finding.evidence.push_back({lack->text, "", Basis::table, lack->library.source});
  if (auto again = build_again(requester.path, state_)) {
    finding.fixes.push_back(*std::move(again));
    return true;
  }
  if (is_of_python(requester)) add_newer_release(found, requester, finding);
  const auto name = short_name(requester);
  // An image of a container has no conda.
  const bool takes_conda = requester.image->machine == EM_X86_64 && requester.image->format == Format::elf64 &&
                           report_.resolution.libc.kind == LibcKind::glibc && !system.is_container();
  const auto earlier = requester.image->machine == EM_X86_64 && requester.image->format == Format::elf64
                           ? earlier_package(*lack, system)
                           : std::nullopt;
  if (earlier) {
    remedies_[*finding.object].try_emplace(edge.name, Remedy{earlier->begin, earlier->package, ""});
    finding.fixes.push_back(fix_of(*earlier));
  }
  auto title = fmt::format("{}take a build of {} for {}, or compile it here", earlier ? "or " : "", name, lack->system);
  if (const auto copy = takes_conda ? copy_of_conda(*lack, name) : std::nullopt) {
    remedies_[*finding.object].try_emplace(edge.name, Remedy{copy->install, copy->words, copy->folder});
    finding.fixes.push_back(
        {title + fmt::format("; or give this one the {} of conda-forge", edge.name),
         copy->install + copy->words + "\n" + export_search_path({copy->folder}, installer_of(requester).python()),
         "for this shell; every program started from it then prefers the libraries in that directory"});
    finding.fixes.back().sets_search_path = true;
  } else {
    finding.fixes.push_back({std::move(title), "", ""});
  }
  const auto& program = report_.resolution.objects.front();
  if (lack->image.image.empty() || !program.image || !program.path.starts_with('/')) return true;
  std::vector<std::string> libraries{edge.name};
  for (const auto& other : requester.edges)
    if (!other.object && other.hard && other.name != edge.name && shell_word(other.name) == other.name)
      libraries.push_back(other.name);
  auto image = container_fix(*lack, libraries, program.path, system);
  // Who has an image of a container builds it.
  finding.fixes.insert(system.is_container() ? finding.fixes.begin() : finding.fixes.end(), std::move(image));
  return true;
}

/// One command can install what several libraries need: "sudo apt install " and the package.
void LibraryFixes::add_remedy(const Edge& edge, const Finding& finding) {
  const auto& fix = finding.fixes.front();
  for (const std::string_view verb : {" install ", " add --no-cache ", " add "}) {
    const auto at = fix.command.find(verb);
    if (at == std::string::npos || fix.only_searches || fix.command.find('\n') != std::string::npos) continue;
    const auto begin = at + verb.size();
    if (fix.command.find(' ', begin) == std::string::npos)
      remedies_[*finding.object].try_emplace(edge.name,
                                             Remedy{fix.command.substr(0, begin), fix.command.substr(begin), ""});
    return;
  }
}

/// Of a file that lies where it belongs, and was made for another machine, the right build belongs there.
bool LibraryFixes::add_right_build(const Object& requester, const Edge& edge, Finding& finding) {
  for (const auto& probe : edge.search.probes) {
    if (probe.result != ProbeResult::wrong_machine && probe.result != ProbeResult::wrong_class) continue;
    finding.fixes.push_back({fmt::format("put the build for {} of {} in its place: {} was made for another machine",
                                         machine_name(requester.image->machine), file_name(edge.name), probe.path),
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
void LibraryFixes::add_other_release(const std::vector<Whereabouts>& found, const Object& requester, Finding& finding) {
  // One package has both: an upgrade of it stopped half-way.
  const auto again = is_of_system_package(requester.path, found) ? SystemPackages(images_).again(requester.path) : "";
  if (!again.empty())
    return finding.fixes.push_back({fmt::format("install the package of {} again: it is of another release than {}",
                                                short_name(requester), file_name(found.front().path)),
                                    again, ""});
  const SystemPackages system(images_);
  const auto other = std::find_if(found.begin(), found.end(), [](const Whereabouts& where) { return where.fits; });
  // Of packages from elsewhere, as those of ROS, one was built again for a library that is still of an earlier release.
  if (other != found.end() && system.owns_in_opt(requester.path) && system.owns_in_opt(other->path))
    finding.fixes.push_back({fmt::format("bring the packages of {} and {} to releases that go together",
                                         short_name(requester), file_name(other->path)),
                             system.upgrade_of(requester.path, other->path), ""});
  if (const auto all = system.upgrade_of_all(); !all.empty() && is_system_path(requester.path))
    finding.fixes.push_back(
        {fmt::format(
             "upgrade all packages, of which {} is then one of another release; what comes from the AUR is to be "
             "built again",
             short_name(requester)),
         all, ""});
  finding.fixes.push_back(
      {fmt::format("build or install {} again: it was made with another release of the library", short_name(requester)),
       is_system_path(requester.path) ? system.rebuild_of(requester.path) : "", ""});
}

/// In an environment of conda, the package that has the other version may be of a release that the requester's own
/// package does not allow: what was installed since replaced it.
void LibraryFixes::add_required_release(const std::vector<Whereabouts>& found, const Object& requester,
                                        Finding& finding) {
  for (const auto& where : found) {
    const auto* owner = where.fits ? state_.installed.package_of(where.path) : nullptr;
    const auto wanted =
        owner == nullptr ? std::string() : state_.installed.conda_requirement(requester.path, owner->name);
    if (wanted.empty()) continue;
    const auto& [name, version] = *requester.package;
    finding.evidence.push_back({fmt::format("{} {} requires {}, and {} {} is installed, which has {}", name, version,
                                            wanted, owner->name, owner->version, file_name(where.path)),
                                where.path, Basis::proven, ""});
    finding.fixes.push_back(
        {fmt::format("install the {} that {} {} requires", owner->name, name, version),
         fmt::format("conda install -p {} {}", shell_word(conda_prefix(requester)), shell_word(wanted)), ""});
    return;
  }
}

/// Where only another version of a library is installed, a later release of the package may be built for that.
void LibraryFixes::add_newer_release(const std::vector<Whereabouts>& found, const Object& requester, Finding& finding) {
  const auto& installer = installer_of(requester);
  const bool of_conda = state_.installed.is_of_conda(requester.path);
  if (!requester.package || (installer.site().empty() && !of_conda)) return;
  const auto& [name, version] = *requester.package;
  if (of_conda) add_required_release(found, requester, finding);
  if (of_conda)
    return finding.fixes.push_back(
        {fmt::format("use a newer {}, which may be built for the version that is installed", name),
         fmt::format("conda update -p {} {}", shell_word(conda_prefix(requester)), shell_word(name)),
         fmt::format("if there is one after {}", version)});
  finding.fixes.push_back({fmt::format("use a newer {}, which may be built for the version that is installed", name),
                           installer.install() + "--upgrade " + shell_word(name),
                           fmt::format("if there is one after {}", version)});
}

/// An image that was committed from a container keeps empty files where the driver of the host was mounted.
/// Source: docker commit; NVIDIA Container Toolkit, libnvidia-container, nvc_mount.c.
bool LibraryFixes::add_place_of_driver(const Edge& edge, const std::string& path, Finding& finding) const {
  const auto status = images_.files().status(path);
  if (!is_driver_library(edge.name) || !status || status->size != 0) return false;
  finding.message += "; it is empty, as in an image of a container that used the driver of its host";
  for (auto& fix : driver_fixes(images_, edge.name)) finding.fixes.push_back(std::move(fix));
  finding.fixes.push_back(
      {"if that says that the file exists, remove it from the image", "rm " + shell_word(path), ""});
  return true;
}

/// The file at which the search ends: a usable one has to come before it, or to take its place.
void LibraryFixes::add_mended_file(const std::vector<Whereabouts>& found, const Probe& unusable, Finding& finding) {
  const auto& requester = requester_of(finding);
  const auto& edge = requester.edges[*finding.edge];
  const auto bad = normal_path(absolute_path(unusable.path, report_.query.environment.cwd));
  if (const auto& opened = images_.open(bad);
      opened.image && add_admission_fixes(report_, *opened.image, bad, unusable.detail, finding))
    return;
  if (add_place_of_driver(edge, bad, finding)) return;
  // What LD_LIBRARY_PATH names comes before all but DT_RPATH and a path.
  const bool comes_first = unusable.rule != SearchRule::rpath && unusable.rule != SearchRule::path;
  const auto good = std::find_if(found.begin(), found.end(), [&](const Whereabouts& where) {
    return where.exact_name && where.fits && where.path != bad;
  });
  if (good != found.end() && comes_first) {
    const std::string folder(parent_path(good->path));
    finding.fixes.push_back({fmt::format("let the search find the usable one in {} first", folder),
                             export_search_path({shell_folder(folder)}, installer_of(requester).python()), ""});
  } else if (good != found.end()) {
    finding.fixes.push_back({fmt::format("replace {} with the usable one", unusable.path),
                             fmt::format("cp {} {}", shell_word(good->path), shell_word(bad)), ""});
  } else {
    const auto told = static_cast<std::ptrdiff_t>(finding.fixes.size());  // what the file is taken for
    if (comes_first) add_installs(requester, edge, finding);
    // What lands in a directory that is searched later changes nothing.
    finding.fixes.erase(std::remove_if(finding.fixes.begin() + told, finding.fixes.end(),
                                       [](const Fix& fix) { return !fix.sets_search_path; }),
                        finding.fixes.end());
    remedies_[*finding.object].erase(edge.name);
  }
  add_lost_file_at(requester, bad, finding);
  if (finding.fixes.empty())
    finding.fixes.push_back({fmt::format("replace {} with a usable {}", unusable.path, file_name(edge.name)), "", ""});
  finding.does_not_help.push_back("another copy later in the search: the loader stops at the first bad file");
}

/// Extensions of a framework leave it to the program to import that first: its libraries are then in the process, and
/// answer by their sonames. Source: PyTorch, torch/utils/cpp_extension.py, which links them without a search path.
bool LibraryFixes::add_framework_import(const Object& requester, const std::string& path, Finding& finding) const {
  const auto* framework = framework_that_maps(path);
  const bool is_its_own =
      framework != nullptr && requester.package && framework_of_distribution(requester.package->name) == framework;
  if (framework == nullptr || is_its_own || framework_that_maps(requester.path) != nullptr) return false;
  const auto* import = import_of(report_, whole_target(report_, *finding.object));
  const auto python = installer_of(requester).python();
  finding.fixes.push_back(
      {fmt::format("import {} first: its libraries are then in the process", framework->module),
       import == nullptr ? "" : fmt::format("{} -c 'import {}, {}'", python, framework->module, import->module),
       "in the program, above the first import of what needs them"});
  return true;
}

/// A framework that is installed, in a build without the library: that for the CPU, or for GPUs of another maker; or in
/// another release than the one that the requester was compiled against.
bool LibraryFixes::add_framework_build(const Object& requester, const Edge& edge, const std::string& distribution,
                                       Finding& finding) {
  const auto& installer = installer_of(requester);
  const auto there = installed_metadata(images_.files(), installer.site(), distribution);
  const bool is_its_own =
      requester.package && normal_distribution_name(requester.package->name) == normal_distribution_name(distribution);
  if (!there || !requester.package || is_its_own) return false;
  const auto parts = builds_with_library(distribution, edge.name);
  const auto build = knowledge_of(report_).framework(distribution, there->version, platform_of(report_));
  const auto stated = build_label(there->version);
  const auto label = stated.empty() ? "cu" : stated;
  const bool other_kind = parts && !matches(label, parts->labels);
  const auto& files = images_.files();
  // What the search would find, were it named in it, is for other fixes.
  const auto* framework = framework_of_distribution(distribution);
  if (!other_kind && is_file(files, installer.site() + "/" + framework->folder + "/" + edge.name)) return false;
  const auto installed = there->name + " " + there->version;
  auto reason = other_kind ? fmt::format("only {} for {} has such a library, and {} is installed", distribution,
                                         parts->called, installed)
                           : fmt::format("{} {} was compiled against another release: {} has no such library",
                                         requester.package->name, requester.package->version, installed);
  const auto name = normal_distribution_name(requester.package->name);
  std::optional<Fix> fix;
  if (other_kind && parts->labels == "cu*" && label == "cpu") {
    const auto& driver = report_.query.environment.driver;
    const auto newest = driver.empty() ? "" : knowledge_of(report_).newest_cuda_on(driver, platform_of(report_));
    fix = other_build(distribution, there->version, {report_.query.gpus, newest}, installer, files);
  }
  if (!fix && other_kind) fix = build_in_step(name, requester.package->version, there->version, installer);
  if (!fix)
    fix = made_for_framework(*requester.package, distribution, there->version,
                             stated.empty() && build ? build->cuda : "", installer);
  // Who catches the failure has a package of which a part is missing.
  if (other_kind && finding.level == Level::note) finding.level = Level::warning;
  finding.message += "; " + reason;
  finding.evidence.push_back({fmt::format("{} has no {}", installed, edge.name), "", Basis::proven, ""});
  fix->reason = std::move(reason);
  fix->other_build = true;
  remedies_[*finding.object].try_emplace(edge.name, Remedy{"", "", "", fix->command});
  finding.fixes.push_back(std::move(*fix));
  return true;
}

/// No package of the system has the libraries of a framework: they come with it, and its import maps them.
bool LibraryFixes::add_framework(const Object& requester, const Edge& edge, Finding& finding) {
  const auto* framework = edge.kind == EdgeKind::dlopen ? nullptr : framework_with_library(edge.name);
  if (framework == nullptr || framework->distributions.empty()) return false;
  const auto& distribution = framework->distributions.front();
  if (add_framework_build(requester, edge, distribution, finding)) return true;
  const auto& installer = installer_of(requester);
  finding.evidence.push_back({fmt::format("it is a library of {}, whose import loads it", framework->module), "",
                              Basis::table, "data/frameworks.json"});
  if (const auto* package = packages_.package_of(requester.path))
    for (const auto& line : package->requires_dist)
      if (const auto wanted = parse_requirement(line); wanted && framework_of_distribution(wanted->name) == framework)
        finding.evidence.push_back(
            {fmt::format("{} requires {}, which is not given here", package->name, line), "", Basis::proven, ""});
  const auto* import = import_of(report_, whole_target(report_, *finding.object));
  const auto then = import == nullptr
                        ? std::string()
                        : fmt::format("{} -c 'import {}, {}'", installer.python(), framework->module, import->module);
  finding.fixes.push_back(
      {fmt::format("install the {} for which {} was built, and import it before what needs its libraries",
                   framework->module, short_name(requester)),
       installer.install() + shell_word(distribution) + (then.empty() ? "" : "\n" + then), ""});
  remedies_[*finding.object].try_emplace(edge.name, Remedy{installer.install(), shell_word(distribution), "", then});
  return true;
}

/// What installs the library: in an environment of conda, first what conda has. A program of a system of Debian takes
/// what the system has.
void LibraryFixes::add_installs(const Object& requester, const Edge& edge, Finding& finding) {
  add_conda_fixes(requester, edge, finding);
  if (!finding.fixes.empty() || is_of_python(requester) || !has_system_package(edge.name))
    add_pip_fixes(requester, edge, finding);
}

/// Whether the archive of the distribution has the library.
bool LibraryFixes::has_system_package(const std::string& library) const {
  if (report_.query.prefix || is_cuda_library_name(library)) return false;
  const auto packages = system_packages_of(library, knowledge_of(report_));
  return std::any_of(packages.begin(), packages.end(),
                     [](const SystemPackage& package) { return package.system.starts_with("Debian "); }) &&
         SystemPackages(images_).takes_debian_packages();
}

/// Makes a directory of the system part of each search; returns the command of root's that does: ldconfig was not run
/// since, or no list names the directory.
std::string LibraryFixes::add_system_search(const std::string& path, const Edge& edge, Finding& finding) const {
  if (report_.resolution.world.kind == WorldKind::tag) return "";
  const SystemPackages system(images_);
  const std::string folder(parent_path(path));
  if (report_.resolution.libc.kind == LibcKind::musl) {
    const auto list = musl_path_file();
    if (list.empty() || !is_file(images_.files(), list)) return "";
    finding.evidence.push_back({fmt::format("{} replaces the directories that musl searches by default, "
                                            "/lib:/usr/local/lib:/usr/lib, and does not name {}",
                                            list, folder),
                                list, Basis::rule, "musl ldso/dynlink.c, load_library"});
    finding.fixes.push_back({"name the directory there",
                             system.as_root(fmt::format("echo {} >> {}", shell_word(folder), list)),
                             "a library that every program is to load goes into LD_PRELOAD"});
    return "";
  }
  const auto folders = read_ld_so_conf(images_.files());
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) return add_to_conf(path, edge.name, finding);
  if (auto link = link_to_uncached(path, edge)) {
    finding.message += fmt::format("; ldconfig enters it as {}, its soname", *images_.open(path).image->soname);
    finding.evidence.push_back({fmt::format("{} is a file, not a link: ldconfig enters it by its soname, {}", path,
                                            *images_.open(path).image->soname),
                                path, Basis::rule, "glibc elf/ldconfig.c, search_dir"});
    finding.does_not_help.push_back("ldconfig: it enters the file by its soname again");
    finding.fixes.push_back(*std::move(link));
    return finding.fixes.back().command;
  }
  finding.evidence.push_back({fmt::format("/etc/ld.so.conf names {}; /etc/ld.so.cache was written before the file was "
                                          "there",
                                          folder),
                              "/etc/ld.so.conf", Basis::proven, ""});
  finding.fixes.push_back({"write the loader's cache again", system.as_root("ldconfig"), ""});
  return finding.fixes.back().command;
}

/// A file that is no link is in the cache by its soname alone, whatever it is called: libcuda.so of WSL, which is a
/// copy of libcuda.so.1. A link in a directory of the system, which is searched without the cache, has the other name.
std::optional<Fix> LibraryFixes::link_to_uncached(const std::string& path, const Edge& edge) const {
  const auto& opened = images_.open(path);
  const auto real = images_.files().real_path(path);
  const bool is_link = real && file_name(*real) != file_name(path);
  if (is_link || !opened.image || !opened.image->soname || *opened.image->soname == edge.name) return std::nullopt;
  const auto& probes = edge.search.probes;
  const auto place = std::find_if(probes.begin(), probes.end(), [&](const Probe& probe) {
    return probe.rule == SearchRule::default_folder && images_.folder_exists(std::string(parent_path(probe.path)));
  });
  if (place == probes.end() || images_.folder_exists("/sysroot/ostree")) return std::nullopt;
  return Fix{fmt::format("give it the name {} in a directory that the loader searches", edge.name),
             SystemPackages(images_).as_root(fmt::format("ln -s {} {}", shell_word(path), shell_word(place->path))),
             ""};
}

/// Where `make install` puts libraries: Debian's list has /usr/local/lib and that of Fedora and many others does not,
/// and of /usr/lib64 it is the other way round. The cache has a library by its soname. Sources: GNU Coding Standards,
/// "Directory Variables"; ldconfig(8); ld.so(8), "FILES"; github.com/oracle/bpftune issue 11.
std::string LibraryFixes::add_to_conf(const std::string& path, const std::string& name, Finding& finding) const {
  constexpr std::uint64_t most_text = 1 << 16;
  const std::string folder(parent_path(path)), list = "/etc/ld.so.conf";
  const auto& opened = images_.open(path);
  constexpr std::string_view usual[] = {"/usr/local/lib", "/usr/local/lib64", "/usr/lib64"};
  if (std::find(std::begin(usual), std::end(usual), folder) == std::end(usual) || !opened.image) return "";
  if (const auto& soname = opened.image->soname; soname && *soname != name) return "";
  const auto text = read_file(images_.files(), list, most_text);
  const bool includes = text && text->find("ld.so.conf.d/*.conf") != std::string::npos;
  auto called = folder.substr(1);
  std::replace(called.begin(), called.end(), '/', '-');
  const auto file = includes ? "/etc/ld.so.conf.d/" + called + ".conf" : list;
  const SystemPackages system(images_);
  finding.evidence.push_back({fmt::format("{} does not name {}", list, folder), list, Basis::proven, ""});
  finding.fixes.push_back(
      {"name the directory to the loader, for all programs",
       fmt::format("echo {} | {} && {}", folder, system.as_root("tee -a " + file), system.as_root("ldconfig")),
       fmt::format("every program then finds what else is in {} as well", folder)});
  return finding.fixes.back().command;
}

/// "/etc/ld-musl-x86_64.path" of /lib/ld-musl-x86_64.so.1; empty without a loader of musl.
std::string LibraryFixes::musl_path_file() const {
  for (const auto& object : report_.resolution.objects) {
    if (!object.dynamic_loader) continue;
    const auto& loader = object.load_name;
    constexpr std::string_view end = ".so.1";
    const auto name = file_name(loader);
    if (!name.starts_with("ld-musl-") || !name.ends_with(end)) return "";
    std::string prefix(parent_path(parent_path(loader)));
    if (prefix == "/") prefix.clear();
    return fmt::format("{}/etc/{}.path", prefix, name.substr(0, name.size() - end.size()));
  }
  return "";
}

/// A loader that has a cache and directories of its own, as those of Gentoo Prefix, Nix and EESSI, finds nothing of the
/// system, and the system's libraries belong to its own C library.
bool LibraryFixes::add_own_prefix(const Object& requester, const std::string& folder, Finding& finding) const {
  if (!is_system_path(folder + "/x")) return false;
  const auto& skipped = requester.edges[*finding.edge].search.skipped;
  const auto own = std::find_if(skipped.begin(), skipped.end(), [](const SkippedRule& each) {
    return each.rule == SearchRule::cache && !each.value.empty();
  });
  const auto& objects = report_.resolution.objects;
  const auto loader =
      std::find_if(objects.begin(), objects.end(), [](const Object& object) { return object.dynamic_loader; });
  if (own == skipped.end() || loader == objects.end()) return false;
  finding.message += fmt::format("; {} has its own cache, {}, and not that of the system", loader->path, own->value);
  finding.evidence.push_back({fmt::format("{} names {}", loader->path, own->value), loader->path, Basis::proven, ""});
  finding.fixes.push_back({fmt::format("install {} where that loader looks, with what installed it and the program",
                                       requester.edges[*finding.edge].name),
                           "", ""});
  finding.does_not_help.push_back("ldconfig: it writes /etc/ld.so.cache, which this loader does not read");
  finding.does_not_help.push_back(fmt::format(
      "LD_LIBRARY_PATH={}: it has the C library of the system as well, which does not work with this loader", folder));
  return true;
}

/// Returns the command of root's that makes the directory part of each search, if that comes first.
std::string LibraryFixes::add_path_fixes(const Object& requester, const std::string& path, Finding& finding) const {
  const std::string folder(parent_path(path));
  if (add_own_prefix(requester, folder, finding)) return "";
  auto for_all = add_system_search(path, requester.edges[*finding.edge], finding);
  finding.fixes.push_back({"for this shell only",
                           export_search_path({shell_folder(folder)}, installer_of(requester).python()),
                           "every program started from it then prefers the libraries in that directory"});
  const std::string prefix(parent_path(folder));
  if (images_.folder_exists(prefix + "/conda-meta"))
    finding.fixes.push_back(
        {"for this conda environment only, from its next activation on",
         fmt::format("conda env config vars set -p {} LD_LIBRARY_PATH={}", shell_word(prefix), shell_word(folder)),
         "every program in it then prefers the libraries in that directory"});
  // A file in an archive cannot be edited here, only by who makes the package.
  const auto site = std::string(PackageTree::site_packages) + "/";
  if (packages_.package_of(requester.path) != nullptr) {
    if (!folder.starts_with(site)) return for_all;
    const auto edit = searched_directory(requester, folder.substr(site.size()));
    if (!edit) return for_all;
    finding.fixes.push_back(patchelf_fix("search its directory", {*edit}, requester, packages_));
    finding.fixes.back().side_effect = "it holds only where both packages are in one site-packages";
    return for_all;
  }
  // The program that imports has no path.
  if (!requester.path.starts_with('/') || is_system_path(requester.path)) return for_all;
  finding.fixes.push_back(
      patchelf_fix("for this file only", {added_directory(requester, folder)}, requester, packages_));
  return for_all;
}

/// Whether some path that was tried lies in that folder of a site-packages.
bool LibraryFixes::is_searched(const Edge& edge, const std::string& folder) const {
  const auto end = "/" + folder + "/" + edge.name;
  return std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    return normal_path(absolute_path(probe.path, report_.query.environment.cwd)).ends_with(end);
  });
}

/// A wheel that was given without what it requires: pip would bring that along.
bool LibraryFixes::add_required_package(const Object& requester, const Edge& edge, Finding& finding) const {
  const auto* package = packages_.package_of(requester.path);
  if (package == nullptr) return false;
  for (const auto& provider : providers_of(edge.name, knowledge_of(report_)))
    for (const auto& line : package->requires_dist) {
      const auto requirement = parse_requirement(line);
      if (!requirement || requirement->name != normal_distribution_name(provider.distribution)) continue;
      const auto wanted = requirement->name + requirement->specifiers;
      finding.evidence.push_back(
          {fmt::format("{} requires {}, which provides it, and which is not given here", package->name, wanted), "",
           Basis::proven, ""});
      finding.fixes.push_back(
          {"give the wheels it requires as well; pip install does so by itself",
           fmt::format("pip download -d wheels {0}\ncudald {0} --with wheels", shell_word(package->archive)), ""});
      return true;
    }
  return false;
}

/// What the requester's installed package requires, and what would bring the library.
bool LibraryFixes::add_lacked_requirement(const Object& requester, const Edge& edge, Finding& finding) {
  const auto& installer = installer_of(requester);
  if (!requester.package || installer.site().empty() || state_.installed.is_of_conda(requester.path)) return false;
  std::vector<std::string> providers;
  for (const auto& provider : providers_of(edge.name, knowledge_of(report_)))
    providers.push_back(provider.distribution);
  for (const auto& package : system_packages_of(edge.name, knowledge_of(report_)))
    if (const auto asked = asked_of_pip(package.command)) providers.push_back(asked->name);
  const auto lacked = lacked_requirement(*requester.package, edge.name, providers, installer, images_.files());
  if (!lacked || framework_of_distribution(lacked->word.substr(0, lacked->word.find_first_of("<>=!~"))) != nullptr)
    return false;
  finding.message += "; " + lacked->reason;
  finding.evidence.push_back({lacked->reason, "", Basis::proven, ""});
  finding.fixes.push_back({fmt::format("what {} {} requires", requester.package->name, requester.package->version),
                           installer.install() + shell_word(lacked->word), ""});
  remedies_[*finding.object].try_emplace(edge.name, Remedy{installer.install(), shell_word(lacked->word), ""});
  return true;
}

/// The environment of conda that the requester, the program or the stated prefix belongs to; empty if it is none.
std::string LibraryFixes::conda_prefix(const Object& requester) const {
  std::vector<std::string> places{requester.path, report_.resolution.objects.front().path};
  if (report_.query.prefix)
    places.push_back(absolute_path(*report_.query.prefix, report_.query.environment.cwd) + "/lib");
  for (const auto& place : places)
    if (auto prefix = conda_prefix_around(place, images_); !prefix.empty()) return prefix;
  return "";
}

void LibraryFixes::add_conda_fixes(const Object& requester, const Edge& edge, Finding& finding) {
  const auto prefix = conda_prefix(requester);
  if (prefix.empty()) return;
  auto packages = conda_packages_of(edge.name, knowledge_of(report_));
  const auto major = cuda_major_of(requester);
  const auto fits = [&](const CondaProvider& package) {
    return !package.cuda || std::to_string(*package.cuda) == major;
  };
  if (std::any_of(packages.begin(), packages.end(), fits))
    std::erase_if(packages, [&](const CondaProvider& package) { return !fits(package); });
  const auto folder = prefix + "/lib";
  const bool searched = is_searched(edge, folder.substr(1));
  for (const auto& package : packages) {
    auto command = conda_install(package, prefix);
    if (!searched) command += "\n" + export_search_path({shell_word(folder)}, installer_of(requester).python());
    finding.fixes.push_back(
        {fmt::format("{} of {} {} exactly this file", package.package, package.channel, carries(package)),
         std::move(command),
         searched ? fmt::format("it lands in {}, which the loader searches", folder)
                  : fmt::format("it lands in {}, which is not on the search path", folder)});
    finding.fixes.back().sets_search_path = !searched;
    finding.evidence.push_back(
        {fmt::format("{} of {} {} {}", package.package, package.channel, carries(package), edge.name), "", Basis::table,
         package.source});
    remedies_[*finding.object].try_emplace(
        edge.name, Remedy{fmt::format("conda install -p {} -c {} ", shell_word(prefix), package.channel),
                          package.requirement, searched ? "" : shell_word(folder)});
  }
  if (packages.empty()) add_release_of_conda(requester, edge, prefix, finding);
}

/// A program of conda was built for another release of a library than the one that was installed with it. What it was
/// itself installed from has to be asked as well, and conda-forge first, for which other channels are built. Sources:
/// bioconda, Usage; github.com/GooglingTheCancerGenome/sv-callers issue 22; github.com/bioconda/bioconda-recipes issue
/// 12100.
void LibraryFixes::add_release_of_conda(const Object& requester, const Edge& edge, const std::string& prefix,
                                        Finding& finding) {
  const auto known = releases_with(edge.name);
  if (!known || known->conda.empty() || !requester.package || !state_.installed.is_of_conda(requester.path)) return;
  const auto channel = state_.installed.conda_channel(requester.path);
  const auto& name = requester.package->name;
  const auto channels = std::string("-c conda-forge ") +
                        (channel.empty() || channel == "conda-forge" ? "" : "-c " + shell_word(channel) + " ");
  const auto install = fmt::format("conda install -p {} {}", shell_word(prefix), channels);
  const auto words = shell_word(name) + " " + known->conda;
  finding.evidence.push_back(
      {fmt::format("{} of conda-forge has {}", known->conda, edge.name), "", Basis::table, known->source});
  finding.fixes.push_back({fmt::format("install the release with which {} was built, {}", name, known->conda),
                           install + words, "conda may change the releases of other packages for it"});
  remedies_[*finding.object].try_emplace(edge.name, Remedy{install, words, ""});
}

/// What RECORD lists and is gone comes back by installing the same release again.
bool LibraryFixes::add_lost_file(const Object& requester, const Edge& edge, Finding& finding) {
  const auto& installer = installer_of(requester);
  if (installer.site().empty() || edge.name.find('/') != std::string::npos) return false;
  const auto damaged = state_.installed.package_that_lost(installer.site(), edge.name);
  if (!damaged) return false;
  const auto& path = damaged->gone.front();
  const auto folder = std::string(parent_path(path));
  const bool searched = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    return normal_path(absolute_path(probe.path, report_.query.environment.cwd)) == path;
  });
  installer.add_reinstallation(*damaged, finding);
  if (!searched) finding.fixes.back().command += "\n" + export_search_path({shell_folder(folder)}, installer.python());
  remedies_[*finding.object][edge.name] = {installer.install_again(),
                                           shell_word(damaged->name + "==" + damaged->version),
                                           searched ? "" : shell_folder(folder)};
  return true;
}

/// A file that is there and unusable, and that a package has put there.
void LibraryFixes::add_lost_file_at(const Object& requester, const std::string& path, Finding& finding) {
  // What is given as an archive is as its author made it: the same release again is no better.
  if (packages_.package_of(path) != nullptr) {
    finding.fixes.push_back(
        {"take another release or build of the package, and report this one to its maintainer; "
         "installing the same one again changes nothing",
         "", ""});
    return;
  }
  const auto* package = state_.installed.package_of(path);
  const auto& installer = installer_of(requester);
  if (package == nullptr || path.find("-packages/") == std::string::npos) return;
  finding.fixes.insert(finding.fixes.begin(), installer.reinstall(package->name, package->version));
  remedies_[*finding.object][finding.subject] = {installer.install_again(),
                                                 shell_word(package->name + "==" + package->version), ""};
}

/// "cupy-cuda12x" of cupy-cuda11x: how a project that names its builds after CUDA calls that for another major.
std::vector<std::string> names_for_major(const std::string& name, int major) {
  const auto begin = name.find_first_of("0123456789");
  if (begin == std::string::npos) return {};
  const auto end = std::min(name.find_first_not_of("0123456789x", begin), name.size());
  std::vector<std::string> names;
  for (const auto* mark : {"x", ""})
    names.push_back(name.substr(0, begin) + std::to_string(major) + mark + name.substr(end));
  return names;
}

/// The builds of a project for a major of CUDA: of its releases, or under another name.
struct BuildsForMajor {
  std::string name, cuda, source;
  std::string first, last;  ///< releases; last empty: no end is known
};

/// The Python that imports what is asked about; empty if none does.
std::string python_of(const Report& report) {
  const auto& imports = report.resolution.imports;
  return imports.empty() ? "" : imports.front().python_version;
}

/// Whether an installer finds a wheel of these releases for a Python; one that is not known takes any.
bool has_wheel_for(const FrameworkBuild& build, const std::string& python) {
  return python.empty() || ((build.python_first.empty() || !version_less(python, build.python_first)) &&
                            (build.python_last.empty() || !version_less(build.python_last, python)));
}

std::optional<BuildsForMajor> builds_for_major(const std::string& name, int major, const Report& report) {
  std::optional<BuildsForMajor> found;
  const auto python = python_of(report);
  for (const auto& build : knowledge_of(report).framework(name, platform_of(report)))
    if (std::atoi(build.cuda.c_str()) == major && has_wheel_for(build, python)) {
      if (!found) found = BuildsForMajor{name, "", "", build.first, ""};
      found->cuda = build.cuda, found->source = build.source(), found->last = build.last;
    }
  if (found) return found;
  for (const auto& other : names_for_major(name, major))
    for (const auto& build : knowledge_of(report).framework(other, platform_of(report)))
      if (other != name && std::atoi(build.cuda.c_str()) == major && has_wheel_for(build, python))
        return BuildsForMajor{other, build.cuda, build.source(), "", ""};
  return std::nullopt;
}

/// What keeps an installer from the builds for a major of CUDA; empty if there are none.
std::string other_pythons_of(const std::string& name, int major, const Report& report) {
  for (const auto& build : knowledge_of(report).framework(name, platform_of(report)))
    if (std::atoi(build.cuda.c_str()) == major)
      return fmt::format("{} {} to {}, built for CUDA {}, has no wheels for Python {}", name, build.first, build.last,
                         major, python_of(report));
  return "";
}

/// The cause may be that the requester is for another CUDA than the one that is there: another build of it then needs
/// nothing else.
void LibraryFixes::add_build_for_installed_cuda(const std::vector<Whereabouts>& found, const Object& requester,
                                                Finding& finding) {
  if (!requester.package || report_.resolution.world.kind == WorldKind::tag) return;
  const auto wanted = cuda_major_of(requester);
  const auto name = normal_distribution_name(requester.package->name);
  for (const auto& where : found) {
    const auto majors = cuda_majors_of(file_name(where.path), knowledge_of(report_));
    if (where.exact_name || !where.fits || majors.size() != 1 || std::to_string(majors.front()) == wanted) continue;
    const auto builds = builds_for_major(name, majors.front(), report_);
    if (!builds) {
      if (auto others = other_pythons_of(name, majors.front(), report_); !others.empty())
        finding.evidence.push_back({std::move(others), "", Basis::table, "data/cuda.json"});
      continue;
    }
    // What the requester's own package requires comes before another release of it.
    if (!finding.fixes.empty() && finding.fixes.front().command.find("==") != std::string::npos) return;
    const auto& installer = installer_of(requester);
    const bool renamed = builds->name != name;
    finding.evidence.push_back(
        {renamed ? fmt::format("{} is built for CUDA {}", builds->name, builds->cuda)
                 : fmt::format("{} {} to {} is built for CUDA {}", name, builds->first, builds->last, majors.front()),
         "", Basis::table, builds->source});
    Fix fix{fmt::format("the {} for CUDA {}, which is what is installed here ({})", builds->name, majors.front(),
                        where.path),
            renamed ? installer.uninstall() + shell_word(requester.package->name) + "\n" + installer.install() +
                          shell_word(builds->name)
                    : installer.install() + shell_word(fmt::format("{}>={},<={}", name, builds->first, builds->last)),
            fmt::format("another build of {}; {} is for CUDA {}", name, requester.package->version, wanted), true};
    fix.reason = fmt::format("{} {} is built for CUDA {}, and CUDA {} is installed", requester.package->name,
                             requester.package->version, wanted, majors.front());
    finding.message += "; " + fix.reason;
    finding.fixes.insert(finding.fixes.begin(), std::move(fix));
    return;
  }
}

/// A provider that is installed in another release has another library of that kind, which others may need: a newer
/// release of the requester may be built for that one.
void LibraryFixes::add_release_for_installed(const Object& requester, const std::vector<Provider>& providers,
                                             Finding& finding) {
  const auto& installer = installer_of(requester);
  if (!requester.package || installer.site().empty()) return;
  for (const auto& provider : providers) {
    const auto there = installed_metadata(state_.images.files(), installer.site(), provider.distribution);
    if (!there || !version_less(provider.version, there->version) || there->name == requester.package->name) continue;
    finding.evidence.push_back(
        {fmt::format("{} {} is installed, a newer release without it", there->name, there->version), "", Basis::proven,
         ""});
    Fix fix{fmt::format("use a newer {}, built for {} {}", requester.package->name, there->name, there->version),
            installer.install() + "--upgrade " + shell_word(requester.package->name),
            fmt::format("if there is one after {}", requester.package->version)};
    fix.other_build = true;
    finding.fixes.push_back(std::move(fix));
    return;
  }
}

void LibraryFixes::add_pip_fixes(const Object& requester, const Edge& edge, Finding& finding) {
  const auto& name = edge.name;
  const auto providers = providers_of(name, cuda_major_of(requester), knowledge_of(report_));
  const auto site = site_folder(requester.path);
  const auto& installer = installer_of(requester);
  add_release_for_installed(requester, providers, finding);
  for (const auto& provider : providers) {
    const bool searched = is_searched(edge, provider.folder);
    const auto word = shell_word(installer.word_for(provider.distribution, provider.requirement));
    auto command = installer.install() + word;
    const auto folder = (site.empty() ? "$site/" : site) + provider.folder;
    if (!searched) command += "\n" + export_search_path({folder}, installer.python());
    const bool brings_more = requester.package && word.starts_with(requester.package->name + "==");
    finding.fixes.push_back(
        {fmt::format("{} {} exactly this file{}", provider.distribution, carries(provider),
                     brings_more ? fmt::format("; pip installs all that {} requires and that is missing",
                                               requester.package->name)
                                 : ""),
         std::move(command),
         searched ? fmt::format("it lands in site-packages/{}, which the loader searches", provider.folder)
                  : fmt::format("it lands in site-packages/{}, which is not on the search path", provider.folder)});
    finding.fixes.back().sets_search_path = !searched;
    finding.evidence.push_back(
        {fmt::format("{} {} {} {}", provider.distribution, provider.version, carries(provider), name), "", Basis::table,
         provider.source});
    remedies_[*finding.object].try_emplace(name, Remedy{installer.install(), word, searched ? "" : folder});
  }
}

/// One command for everything that these objects miss, put before what helps against the first miss alone.
void LibraryFixes::add_fix_for(const std::vector<ObjectId>& requesters, Finding& first) {
  std::map<std::string, std::set<std::string>> installs;
  std::vector<std::string> folders;
  std::set<std::string> provided, left, afterwards;
  const auto python = installer_of(report_.resolution.objects[requesters.front()]).python();
  for (const auto requester : requesters)
    for (const auto& [name, remedy] : remedies_[requester]) {
      provided.insert(name);
      if (!remedy.requirement.empty())
        for (const auto word : split(remedy.requirement, " "))
          add_requirement(installs[remedy.install], std::string(word));
      if (!remedy.folder.empty() && std::find(folders.begin(), folders.end(), remedy.folder) == folders.end())
        folders.push_back(remedy.folder);
      if (!remedy.then.empty()) afterwards.insert(remedy.then);
    }
  for (const auto& finding : report_.findings)
    if (finding.object && finding.edge && finding.level == first.level && !provided.contains(finding.subject) &&
        std::find(requesters.begin(), requesters.end(), *finding.object) != requesters.end())
      left.insert(finding.subject);
  std::vector<std::string> lines;
  for (const auto& [install, words] : installs) lines.push_back(install + fmt::format("{}", fmt::join(words, " ")));
  if (!folders.empty()) lines.push_back(export_search_path(folders, python));
  lines.insert(lines.end(), afterwards.begin(), afterwards.end());
  const auto command = fmt::format("{}", fmt::join(lines, "\n"));
  const auto same =
      std::find_if(first.fixes.begin(), first.fixes.end(), [&](const Fix& fix) { return fix.command == command; });
  const auto build = same != first.fixes.end() && same->other_build ? *same : Fix{};
  // One package may bring them all: then that is said once.
  std::erase_if(first.fixes, [&](const Fix& fix) { return fix.command == command; });
  const auto title = left.empty()
                         ? fmt::format("provides all {} missing libraries", provided.size())
                         : fmt::format("provides {} of the {} missing libraries; nothing is known to provide {}",
                                       provided.size(), provided.size() + left.size(), fmt::join(left, ", "));
  Fix fix{title, command,
          folders.empty() ? "" : "for this shell; every program started from it then prefers these libraries"};
  fix.serves.assign(provided.begin(), provided.end());
  if (build.other_build) fix.title = build.title, fix.other_build = true, fix.reason = build.reason;
  const bool other_build = !first.fixes.empty() && first.fixes.front().other_build;
  first.fixes.insert(first.fixes.begin() + (other_build ? 1 : 0), fix);
}

void LibraryFixes::add_common_fixes() {
  // By the level of what fails: what is an error comes first, and is mended as a whole.
  for (const auto level : {Level::error, Level::warning, Level::note}) {
    std::vector<ObjectId> requesters;
    Finding* first = nullptr;
    std::size_t missing = 0;
    for (auto& finding : report_.findings) {
      if (finding.level != level || !finding.object || !finding.edge || !remedies_.contains(*finding.object)) continue;
      const auto& remedies = remedies_.at(*finding.object);
      if (!remedies.contains(finding.subject)) continue;
      if (first == nullptr) first = &finding;
      ++missing;
      if (std::find(requesters.begin(), requesters.end(), *finding.object) == requesters.end())
        requesters.push_back(*finding.object);
    }
    if (missing > 1) add_fix_for(requesters, *first);
  }
}

}  // namespace cudald

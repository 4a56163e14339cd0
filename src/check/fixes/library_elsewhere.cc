#include "check/fixes/library_elsewhere.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/system_packages.h"
#include "check/fixes/framework_library.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/library_installs.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/search_fixes.h"
#include "knowledge/frameworks.h"
#include "knowledge/gpu_use.h"
#include "knowledge/providers.h"
#include "loader/search_path.h"

namespace cudald {
namespace {

/// Whether the search path in a file names a directory.
bool is_in_own_search(const MissingLibrary& missing, const std::string& folder) {
  const auto& elf = missing.requester.image->elf;
  const auto& list = elf.runpath ? elf.runpath : elf.rpath;
  if (!list) return false;
  const auto folders = folders_of(*list, ":", {missing.requester.origin, "lib", ""});
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& each) {
    return normal_path(absolute_path(each, missing.report.query.environment.cwd)) == folder;
  });
}

/// A name with a slash is opened as it is: without a DT_SONAME of the library, the linker writes the path by which it
/// was given one. Source: GNU ld, "-soname".
void add_plain_name(const MissingLibrary& missing, const Whereabouts& where) {
  const std::string folder(parent_path(where.path)), name(file_name(where.path));
  if (missing.edge.kind == EdgeKind::dlopen) {
    missing.offer({fmt::format("open {} instead", where.path), "", ""});
    return;
  }
  if (!missing.images.open(where.path).image->soname)
    missing.finding.evidence.push_back(
        {fmt::format("{} has no DT_SONAME: the linker wrote the path that it was given", name), where.path,
         Basis::proven, ""});
  if (missing.packages.package_of(missing.requester.path) != nullptr) return;
  std::vector<FileEdit> edits{{missing.requester.path, FileEdit::Kind::rename_needed, name, missing.edge.name}};
  if (!is_in_own_search(missing, folder)) edits.push_back(added_directory(missing.requester, folder));
  missing.offer(
      patchelf_fix("ask for the library by its name alone", std::move(edits), missing.requester, missing.packages));
  missing.offer({fmt::format("maintainer fix: link {} with -Wl,-soname,{}", name, name), "", ""});
}

/// Where /usr cannot be written to, as on Fedora Silverblue: the link lies beside the program if that is searched, else
/// in a directory of the user's own. Source: OSTree, "Adapting existing systems", /usr is read-only.
void add_own_link(const MissingLibrary& missing, const Whereabouts& where) {
  const std::string beside(parent_path(missing.requester.path));
  const bool searched = !is_system_path(missing.requester.path) && is_in_own_search(missing, beside);
  const auto folder = searched ? shell_word(beside) : std::string("$HOME/.local/lib");
  auto command = fmt::format("ln -s {} {}/{}", shell_word(where.path), folder, shell_word(missing.edge.name));
  if (!searched)
    command =
        "mkdir -p " + folder + " && " + command + "\n" + export_search_path({folder}, missing.installer().python());
  missing.offer({"give the library the name it is needed by, where /usr cannot be written to", std::move(command), ""});
}

/// A link with the name that is asked for, beside the file; and the search must come there.
void add_link_to_file(const MissingLibrary& missing, const Whereabouts& where) {
  const std::string folder(parent_path(where.path)), target(file_name(where.path));
  if (is_system_path(where.path) && missing.images.folder_exists("/sysroot/ostree"))
    return add_own_link(missing, where);
  const bool searched = missing.is_tried([&](const Probe& probe) {
    // By its own name: a loader says /lib64 for /usr/lib64.
    const std::string place(parent_path(missing.place_of(probe)));
    const auto real = missing.images.files().real_path(place);
    return place == folder || (real && *real == folder);
  });
  const bool replaces = missing.is_tried([](const Probe& probe) {
    return probe.result == ProbeResult::absent && probe.detail.starts_with("a symbolic link");
  });
  auto command = fmt::format("ln -s{} {} {}", replaces ? "f" : "", shell_word(target),
                             shell_word(folder + "/" + missing.edge.name));
  if (is_system_path(folder) || folder.starts_with("/opt/")) command = SystemPackages(missing.images).as_root(command);
  missing.remedies.try_emplace(missing.edge.name, Remedy{"", "", searched ? "" : shell_folder(folder), command});
  if (!searched) command += "\n" + export_search_path({shell_folder(folder)}, missing.installer().python());
  missing.offer({"give the library the name it is needed by", std::move(command), ""});
  if (where.same_soname || where.other_case) return;
  missing.offer({fmt::format("or install its development package, which has {} (NAME-dev on Debian, NAME-devel "
                             "on Fedora and SUSE)",
                             missing.edge.name),
                 "", ""});
  missing.offer({fmt::format("maintainer fix: open {}, the name that packages for running have", target), "", ""});
}

/// A wheel's repair tool renames the libraries that it copies: who asks by the other name is given the right one.
void add_replaced_name(const MissingLibrary& missing, const Whereabouts& where) {
  const std::string folder(parent_path(where.path)), name(file_name(where.path));
  missing.finding.evidence.push_back(
      {fmt::format("{} is the same library under {}", where.path,
                   is_renamed_copy(name) ? "the name that the wheel's repair tool gave it" : "its original name"),
       where.path, Basis::proven, ""});
  if (missing.packages.package_of(missing.requester.path) != nullptr || missing.edge.kind == EdgeKind::dlopen) return;
  std::vector<FileEdit> edits{{missing.requester.path, FileEdit::Kind::rename_needed, name, missing.edge.name}};
  const bool searched =
      missing.is_tried([&](const Probe& probe) { return parent_path(missing.place_of(probe)) == folder; });
  if (!searched) edits.push_back(added_directory(missing.requester, folder));
  missing.offer(
      patchelf_fix("ask for it by the name that it has", std::move(edits), missing.requester, missing.packages));
  // The copy is one that another package keeps for itself; the library of NVIDIA's own package is for all.
  if (is_cuda_library_name(missing.edge.name)) add_installs(missing);
}

}  // namespace

void add_file_that_is_there(const MissingLibrary& missing) {
  for (const auto& probe : missing.edge.search.probes)
    if (const std::string element(parent_path(absolute_path(probe.path, missing.report.query.environment.cwd)));
        is_file(missing.images.files(), element)) {
      missing.finding.evidence.push_back(
          {fmt::format("the {} names {}, a file: an element of a search path is a directory", to_string(probe.rule),
                       element),
           element, Basis::proven, ""});
      break;
    }
  for (const auto& where : missing.found)
    if (where.exact_name && where.fits) {
      if (missing.edge.name.find('/') != std::string::npos) return add_plain_name(missing, where);
      const std::string folder(parent_path(where.path));
      const bool by_import = add_framework_import(missing, where.path);
      const auto for_all = add_path_fixes(missing, where.path);
      if (!by_import)
        missing.remedies[missing.edge.name] =
            for_all.empty() ? Remedy{"", "", shell_folder(folder)} : Remedy{"", "", "", for_all};
      return;
    }
  if (const auto* target = linker_target(missing.edge, missing.found)) return add_link_to_file(missing, *target);
  for (const auto& where : missing.found)
    if (where.renamed && where.fits) return add_replaced_name(missing, where);
  for (const auto& where : missing.found)
    if (where.other_case && where.fits) return add_link_to_file(missing, where);
  for (const auto& where : missing.found)
    if (where.same_soname && where.fits) return add_link_to_file(missing, where);
}

void add_useless_link(const MissingLibrary& missing) {
  for (const auto& where : missing.found) {
    if (where.exact_name || where.same_soname || where.renamed || where.other_case || !where.fits) continue;
    const auto& defined = missing.images.open(where.path).image->elf.version_definitions;
    for (const auto& need : missing.requester.image->elf.version_needs)
      for (const auto& version : need.versions)
        if (need.file == missing.edge.name && !version.weak &&
            std::none_of(defined.begin(), defined.end(), [&](const auto& each) { return each.name == version.name; })) {
          missing.finding.does_not_help.push_back(fmt::format("a symlink {} -> {}: {} does not define the version {}",
                                                              missing.edge.name, file_name(where.path),
                                                              file_name(where.path), version.name));
          return;
        }
    if (providers_of(missing.edge.name, knowledge_of(missing.report)).empty()) continue;
    missing.finding.does_not_help.push_back(
        fmt::format("a symlink {} -> {}: its ABI is different, so that functions are missing "
                    "or work differently",
                    missing.edge.name, file_name(where.path)));
    return;
  }
}

}  // namespace cudald

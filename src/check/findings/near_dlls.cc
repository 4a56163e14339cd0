#include "check/findings/near_dlls.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <cudald/image.h>
#include <cudald/windows_host_file.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "check/findings/pe_functions.h"
#include "knowledge/windows_names.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"
#include "package/npm_package.h"

namespace cudald {
namespace {

/// Paths by the name of their file, without the version at its end.
using FilesByStem = std::map<std::string, std::vector<std::string>>;

/// "cudart64" for "cudart64_110.dll": the name without the version at its end.
std::string stem_of_dll(const std::string& name) {
  auto stem = folded(name);
  if (stem.ends_with(".dll")) stem.resize(stem.size() - 4);
  for (;;) {
    const auto end = stem.find_last_not_of("0123456789");
    if (end == std::string::npos || end + 1 == stem.size() || stem[end] != '_') return stem;
    stem.resize(end);
  }
}

/// The directories of the tree that a pattern means, in which each * stands for one name.
std::vector<std::string> places_of(const Case& given, const std::string& pattern) {
  constexpr std::size_t most_asked = 2000;
  std::vector<std::string> places, patterns{pattern};
  if (given.windows == nullptr) return places;
  WindowsTree tree(given.store.images, *given.windows);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto each = patterns[i];
    const auto star = each.find('*');
    if (star == std::string::npos) {
      if (auto place = tree.find(each)) places.push_back(*std::move(place));
      continue;
    }
    auto begin = each.substr(0, star - 1);
    if (begin.ends_with(':')) begin += '\\';
    const auto above = tree.find(begin);
    if (!above) continue;
    for (const auto& entry : given.store.images.list(*above))
      if (patterns.size() < most_asked) patterns.push_back(each.substr(0, star) + entry + each.substr(star + 1));
  }
  return places;
}

/// The directories of what is loaded, of PATH and of Windows.
std::vector<std::string> folders_of_process(const Case& given) {
  auto folders = given.report.query.environment.dll_path;
  for (const auto& object : given.report.resolution.objects)
    if (!object.known_by_name) folders.emplace_back(parent_path(object.path));
  if (given.windows != nullptr) {
    folders.insert(folders.end(), given.windows->path.begin(), given.windows->path.end());
    if (given.windows->has_files)
      for (const auto& folder : {given.windows->system(), given.windows->windows}) folders.push_back(folder);
  }
  return folders;
}

/// Where installers put a DLL of that name.
std::vector<std::string> installations_of(const Case& given, const std::string& name) {
  std::vector<std::string> all;
  for (const auto& pattern : directories_of(name))
    for (auto& place : places_of(given, pattern)) all.push_back(std::move(place));
  return all;
}

/// Where packages of Python keep DLLs beside modules that do not search there: pywin32_system32, PyQt5\\Qt5\\bin,
/// nvidia\\cublas\\bin.
void add_package_folders(const std::vector<Object>& objects, ImageStore& images, std::vector<std::string>& folders) {
  constexpr std::string_view site = "/site-packages/";
  constexpr std::size_t most = 4000;
  std::set<std::string> sites;
  for (const auto& object : objects)
    if (const auto at = object.path.find(site); !object.known_by_name && at != std::string::npos)
      sites.insert(object.path.substr(0, at + site.size() - 1));
  std::size_t count = 0;
  for (const auto& above : sites)
    for (const auto& entry : images.list(above)) {
      const auto package = above + "/" + entry;
      if (entry.ends_with("-info") || !images.folder_exists(package) || ++count > most) continue;
      folders.push_back(package);
      for (const auto* below : {"/bin", "/lib", "/libs", "/Library/bin"})
        if (images.folder_exists(package + below)) folders.push_back(package + below);
      if (entry != "nvidia") continue;
      for (const auto& part : images.list(package)) folders.push_back(package + "/" + part + "/bin");
    }
}

/// What is unpacked as a whole has DLLs above its plug-ins, ext below the directory of PHP, or below its program, as
/// frozen programs have them in lib or _internal. In directories of Windows each other one is another program's.
void add_folders_around(const Case& given, std::vector<std::string>& folders) {
  constexpr std::size_t most_entries = 100, most_objects = 64;
  auto& images = given.store.images;
  const auto& objects = given.report.resolution.objects;
  std::set<std::string> known;
  for (std::size_t i = 0; i < std::min(objects.size(), most_objects); ++i) {
    const std::string own(parent_path(objects[i].path));
    if (objects[i].known_by_name || own.size() < 2 || folded(own).find("/windows/") != std::string::npos ||
        folded(own).ends_with("/windows") || !known.insert(own).second)
      continue;
    if (images.folder_exists(own + "/Library/bin")) folders.push_back(own + "/Library/bin");
    const std::string above(parent_path(own));
    if (above.size() > 1)
      for (const auto* below : {"", "/bin", "/lib"})
        if (images.folder_exists(above + below)) folders.push_back(above + below);
    // The tools of a compiler for one machine lie in a bin of that, and the DLLs of its own program in the bin above.
    if (file_name(above).find("-w64-") != std::string_view::npos)
      folders.push_back(std::string(parent_path(above)) + "/bin");
    // A compiler for several machines has each one's DLLs in a bin of its own: i686-w64-mingw32\\bin.
    if (const auto& beside = images.list(above); above.size() > 1 && beside.size() <= most_entries)
      for (const auto& entry : beside)
        if (entry.find("-w64-") != std::string::npos) folders.push_back(above + "/" + entry + "/bin");
    const auto& entries = images.list(own);
    if (entries.size() > most_entries) continue;
    for (const auto& entry : entries)
      if (entry.find(".dll") == std::string::npos && images.folder_exists(own + "/" + entry))
        folders.push_back(own + "/" + entry);
  }
}

/// A plug-in far below its program has the DLLs of that in a bin above: lib\\gimp\\2.0\\plug-ins; an add-on in
/// build\\Release may have them in the directory of its package. The directory of all programs is none of one
/// program's.
void add_folders_far_above(const Case& given, std::vector<std::string>& folders) {
  constexpr int most_levels = 5, own_levels = 2;
  constexpr std::size_t most_asked = 200;
  std::set<std::string> known;
  for (const auto& object : given.report.resolution.objects) {
    std::string above(parent_path(parent_path(object.path)));
    if (object.known_by_name || known.size() > most_asked) continue;
    for (int i = 0; i < most_levels && above.size() > 1; ++i, above = parent_path(above)) {
      const auto name = folded(file_name(above));
      if (name.starts_with("program files") || name == "windows" || !known.insert(above).second) break;
      if (i < own_levels) folders.push_back(above);
      if (given.store.images.folder_exists(above + "/bin")) folders.push_back(above + "/bin");
    }
  }
}

/// An add-on of npm may have its DLL anywhere in its package, as in redist\\x64.
void add_folders_of_npm(const Case& given, std::vector<std::string>& folders) {
  constexpr std::size_t most = 500;
  auto& images = given.store.images;
  for (const auto& object : given.report.resolution.objects) {
    const auto package = object.known_by_name ? std::nullopt : npm_package_of(object.path);
    if (!package || !folded(object.path).ends_with(".node")) continue;
    std::vector<std::string> below{package->folder};
    for (std::size_t i = 0; i < below.size(); ++i) {
      const auto above = below[i];
      for (const auto& entry : images.list(above))
        if (entry != "node_modules" && entry.find('.') == std::string::npos && below.size() < most &&
            images.folder_exists(above + "/" + entry))
          below.push_back(above + "/" + entry);
    }
    folders.insert(folders.end(), below.begin(), below.end());
  }
}

/// What .NET and others keep by machine, in plugins\\runtimes\\win-x64\\native: below the directory of the program.
void add_folders_far_below(const Case& given, std::vector<std::string>& folders) {
  constexpr std::size_t most = 2000;
  constexpr std::string_view of_files[] = {".dll", ".exe", ".pyd", ".py", ".pyc", ".json", ".xml", ".txt", ".pdb"};
  auto& images = given.store.images;
  const std::string own(parent_path(given.report.resolution.objects.front().path));
  if (own.size() < 2 || folded(own).find("/windows") != std::string::npos) return;
  std::vector<std::string> below{own};
  for (std::size_t i = 0; i < below.size() && i < most; ++i) {
    const auto above = below[i];
    for (const auto& entry : images.list(above)) {
      const auto name = folded(entry);
      const bool file = std::any_of(std::begin(of_files), std::end(of_files),
                                    [&](std::string_view ending) { return name.ends_with(ending); });
      if (!file && below.size() < most && images.folder_exists(above + "/" + entry))
        below.push_back(above + "/" + entry);
    }
  }
  folders.insert(folders.end(), below.begin() + 1, below.end());
}

/// Below the directory that a load names, as in bin\\x64 of CUDA 13.
void add_folders_below(const Case& given, const std::string& wanted, std::vector<std::string>& folders) {
  if (given.windows == nullptr || !is_full_windows_path(wanted)) return;
  auto& images = given.store.images;
  const auto named = WindowsTree(images, *given.windows).find(windows_folder(wanted));
  if (!named) return;
  for (const auto& entry : images.list(*named))
    if (images.folder_exists(*named + "/" + entry)) folders.push_back(*named + "/" + entry);
}

void add_file(FilesByStem& files, std::string path) {
  files[stem_of_dll(std::string(file_name(path)))].push_back(std::move(path));
}

/// What lies in directories, which are spelled as in the tree or as Windows does.
FilesByStem files_in(const Case& given, const std::vector<std::string>& folders) {
  FilesByStem files;
  std::set<std::string> known;
  for (const auto& folder : folders) {
    auto place = normal_path(absolute_path(folder, given.report.query.environment.cwd));
    if (is_full_windows_path(folder)) {
      const auto found =
          given.windows == nullptr ? std::nullopt : WindowsTree(given.store.images, *given.windows).find(folder);
      if (!found) continue;
      place = *found;
    }
    if (!known.insert(place).second) continue;
    for (const auto& entry : given.store.images.list(place)) add_file(files, place + "/" + entry);
  }
  return files;
}

}  // namespace

/// The groups of directories, each listed when it is first asked for: a program may lack thousands of DLLs.
class NearFiles {
 public:
  const FilesByStem& of_packages(const Case& given) {
    if (packages_) return *packages_;
    packages_.emplace();
    for (const auto& package : given.store.packages.packages())
      for (const auto& path : package.libraries) add_file(*packages_, path);
    return *packages_;
  }
  const FilesByStem& of_process(const Case& given) {
    return listed(given, process_, [&](auto& folders) { folders = folders_of_process(given); });
  }
  const FilesByStem& of_site_packages(const Case& given) {
    return listed(given, site_packages_, [&](auto& folders) {
      add_package_folders(given.report.resolution.objects, given.store.images, folders);
    });
  }
  const FilesByStem& around(const Case& given) {
    return listed(given, around_, [&](auto& folders) { add_folders_around(given, folders); });
  }
  const FilesByStem& farther(const Case& given) {
    return listed(given, farther_, [&](auto& folders) {
      add_folders_far_below(given, folders);
      add_folders_far_above(given, folders);
      add_folders_of_npm(given, folders);
    });
  }

 private:
  template <typename Add>
  const FilesByStem& listed(const Case& given, std::optional<FilesByStem>& files, const Add& add) {
    if (!files) {
      std::vector<std::string> folders;
      add(folders);
      files = files_in(given, folders);
    }
    return *files;
  }

  std::optional<FilesByStem> packages_, process_, site_packages_, around_, farther_;
};

std::string windows_folder_of(const Case& given, const std::string& path) {
  const std::string folder(parent_path(path));
  return given.windows != nullptr ? WindowsTree(given.store.images, *given.windows).spelled(folder) : folder;
}

std::vector<NearDll> near_dlls(const Case& given, const std::string& wanted, const Object* requester) {
  if (!given.near_files) given.near_files = std::make_shared<NearFiles>();
  auto& near = *given.near_files;
  auto& images = given.store.images;
  const auto& objects = given.report.resolution.objects;
  std::vector<NearDll> found;
  const auto name = folded(windows_file_name(wanted));
  const auto stem = stem_of_dll(name);
  const bool versioned = stem + ".dll" != name;
  const auto consider = [&](const std::string& path) {
    const bool exact = folded(file_name(path)) == name;
    if (!exact && !versioned) return;
    const auto& opened = images.open(path);
    const auto& program = *objects.front().image;
    if (opened.error || machine_of(*opened.image) != machine_of(program) ||
        format_of(*opened.image) != format_of(program))
      return;
    const bool known = std::any_of(found.begin(), found.end(), [&](const NearDll& one) { return one.path == path; });
    if (!known) found.push_back({path, windows_folder_of(given, path), exact});
  };
  const auto look_in = [&](const FilesByStem& files) {
    if (const auto same = files.find(stem); same != files.end())
      for (const auto& path : same->second) consider(path);
  };
  look_in(near.of_packages(given));
  look_in(near.of_process(given));
  // Of a runtime that an installer puts into Windows the copy of some package is none to search for.
  const auto installer = installer_of(name);
  const bool of_others = (!installer || installer->beside) && !added_later(name);
  if (of_others) look_in(near.of_site_packages(given));
  std::vector<std::string> named;
  add_folders_below(given, wanted, named);
  if (!named.empty()) look_in(files_in(given, named));
  if (!added_later(name)) look_in(near.around(given));
  for (const auto& place : installations_of(given, name))
    for (const auto& entry : images.list(place))
      if (folded(entry) == name) consider(place + "/" + entry);
  if (found.empty() && of_others) {
    look_in(near.farther(given));
    std::erase_if(found, [](const NearDll& one) { return !one.exact; });
  }
  // What a described machine has elsewhere, as in bin\x64 of CUDA 13, is known by name.
  if (const auto* host = given.windows; host != nullptr && host->described)
    for (const auto& [folder, names] : host->described->folders)
      if (names.contains(name)) found.push_back({windows_join(folder, name), folder, true});
  if (requester != nullptr)
    std::erase_if(found, [&](const NearDll& one) {
      return one.exact && !serves(one.path, requester->path, name, images).value_or(true);
    });
  std::stable_partition(found.begin(), found.end(), [](const NearDll& one) { return one.exact; });
  return found;
}

}  // namespace cudald

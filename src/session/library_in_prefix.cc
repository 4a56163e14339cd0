#include "session/library_in_prefix.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/windows_path.h"
#include "machine/abi.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

/// The file in a folder, whose name on Windows may differ in case; empty if there is none.
std::string in_folder(const std::string& name, const std::string& folder, const FileSystem& files) {
  const auto names = files.list(folder);
  for (const auto& entry : names ? *names : std::vector<std::string>())
    if (entry == name || (name.ends_with(".dll") && folded(entry) == name)) return folder + "/" + entry;
  return "";
}

/// The site-packages folders of a prefix; nothing is below an empty one.
std::vector<std::string> sites_of(const std::string& prefix, const FileSystem& files) {
  if (prefix.empty()) return {};
  auto sites = site_packages(prefix, files);
  sites.push_back(prefix + "/Lib/site-packages");
  return sites;
}

/// The directories of plug-ins that the packages of a folder keep.
void add_plugin_folders(const std::string& above, const FileSystem& files, std::vector<std::string>& folders) {
  constexpr std::size_t most_folders = 3000;
  const auto entries = files.list(above);
  for (const auto& entry : entries ? *entries : std::vector<std::string>())
    for (const auto* below : {"/Qt/plugins", "/Qt5/plugins", "/Qt6/plugins", "/plugins", "/qt/plugins"})
      if (entry.find('.') == std::string::npos && folders.size() < most_folders)
        folders.push_back(above + "/" + entry + below);
}

/// The file of a plug-in, "platforms/qxcb", below a directory of plug-ins; empty if there is none.
std::string plugin_in(const std::string& folder, const std::string& plugin, const FileSystem& files) {
  const std::string kind(parent_path(plugin)), name(file_name(plugin));
  for (const auto& file : {"lib" + name + ".so", name + ".so", name + ".dll"})
    if (auto path = folder + "/" + kind + "/" + file; is_file(files, path)) return path;
  return "";
}

/// That of the system, if only one release of Qt is installed: which one a program needs is not looked at.
std::string plugin_of_system(const std::string& plugin, const FileSystem& files) {
  std::string found;
  for (const auto* below : {"/qt6/plugins", "/qt5/plugins", "/qt/plugins"})
    for (const auto library : usual_library_folders) {
      auto path = plugin_in(std::string(library) + below, plugin, files);
      if (path.empty()) continue;
      if (!found.empty()) return "";
      found = std::move(path);
      break;
    }
  return found;
}

/// "/Qt/bin" of C:\\Qt\\bin, in a copy of that drive.
std::string tree_path_of(std::string folder) {
  if (!is_full_windows_path(folder)) return folder;
  std::replace(folder.begin(), folder.end(), '\\', '/');
  return folder.substr(2);
}

}  // namespace

std::string plugin_in_prefix(const std::string& plugin, const std::string& prefix, const std::string& program,
                             const FileSystem& files, const std::vector<std::string>& searched) {
  std::vector<std::string> folders;
  for (const auto& site : sites_of(prefix, files)) add_plugin_folders(site, files, folders);
  // Source: Qt, QLibraryInfo, PluginsPath; qt.conf of conda.
  if (!prefix.empty())
    for (const auto* below : {"/plugins", "/lib/qt6/plugins"}) folders.push_back(prefix + below);
  if (!program.empty())
    for (const auto* around : {"", "/plugins", "/../plugins", "/../lib/qt5/plugins", "/../lib/qt6/plugins"})
      folders.push_back(normal_path(std::string(parent_path(program)) + around));
  // A frozen program has packages below its own directory.
  if (!program.empty())
    for (const auto* below : {"", "/_internal", "/lib"})
      add_plugin_folders(std::string(parent_path(program)) + below, files, folders);
  for (const auto& folder : searched) folders.push_back(normal_path(tree_path_of(folder) + "/../plugins"));
  for (const auto& folder : folders)
    if (auto path = plugin_in(folder, plugin, files); !path.empty()) return path;
  return folded(program).ends_with(".exe") ? "" : plugin_of_system(plugin, files);
}

std::string library_in_prefix(const std::string& asked, const std::string& prefix, const FileSystem& files) {
  constexpr std::size_t most_folders = 3000;
  const auto name = library_key(asked);
  std::vector<std::string> folders{prefix + "/lib", prefix + "/Library/bin", prefix};
  for (const auto& site : sites_of(prefix, files)) {
    folders.push_back(site);
    const auto entries = files.list(site);
    for (const auto& entry : entries ? *entries : std::vector<std::string>()) {
      if (entry.find('.') != std::string::npos && !entry.ends_with(".libs")) continue;
      for (const auto* below : {"", "/bin", "/lib", "/libs", "/Library/bin"})
        if (folders.size() < most_folders) folders.push_back(site + "/" + entry + below);
      if (entry != "nvidia") continue;
      const auto parts = files.list(site + "/" + entry);
      for (const auto& part : parts ? *parts : std::vector<std::string>())
        for (const auto* below : {"/bin", "/lib", "/bin/x86_64"})
          folders.push_back(site + "/" + entry + "/" + part + below);
    }
  }
  for (const auto& folder : folders)
    if (auto path = in_folder(name, folder, files); !path.empty()) return path;
  return "";
}

}  // namespace cudald

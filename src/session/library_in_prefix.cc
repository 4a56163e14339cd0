#include "session/library_in_prefix.h"

#include <vector>

#include "base/path.h"
#include "base/windows_path.h"
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

}  // namespace

std::string library_in_prefix(const std::string& asked, const std::string& prefix, const FileSystem& files) {
  constexpr std::size_t most_folders = 3000;
  const auto name = library_key(asked);
  std::vector<std::string> folders{prefix + "/lib", prefix + "/Library/bin", prefix};
  auto sites = site_packages(prefix, files);
  sites.push_back(prefix + "/Lib/site-packages");
  for (const auto& site : sites) {
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

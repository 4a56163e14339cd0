#include "check/fixes/install_commands.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

constexpr std::string_view site_packages_end = "-packages/";

}  // namespace

std::string site_folder(const std::string& path) {
  const auto virtual_site = std::string(PackageTree::site_packages) + "/";
  if (path.starts_with(virtual_site)) return "$site/";
  const auto at = path.find(site_packages_end);
  return at == std::string::npos ? "" : shell_word(path.substr(0, at + site_packages_end.size()));
}

std::string shell_folder(const std::string& folder) {
  const auto virtual_site = std::string(PackageTree::site_packages) + "/";
  return folder.starts_with(virtual_site) ? "$site/" + shell_word(folder.substr(virtual_site.size()))
                                          : shell_word(folder);
}

std::string export_search_path(std::vector<std::string> folders, const std::string& python) {
  // The same directory, once by the installed package and once by the one to install.
  std::set<std::string> tails;
  std::erase_if(folders, [&](const std::string& folder) {
    const auto at = folder.find(site_packages_end);
    if (folder.starts_with("$site/")) return !tails.insert(folder.substr(5)).second;
    return at != std::string::npos && !tails.insert(folder.substr(at + site_packages_end.size() - 1)).second;
  });
  std::string site;
  for (auto& folder : folders) {
    const auto at = folder.find(site_packages_end);
    if (folder.starts_with("$site/")) {
      site = "$(" + python + " -c 'import sysconfig; print(sysconfig.get_path(\"purelib\"))')";
    } else if (const auto own = folder.substr(0, at + site_packages_end.size() - 1);
               // A quoted word cannot be cut.
               folder.front() == '/' && at != std::string::npos && folders.size() > 1 &&
               (site.empty() || site == own)) {
      site = own;
      folder.replace(0, own.size(), "$site");
    }
  }
  return (site.empty() ? "" : "site=" + site + "\n") +
         fmt::format("export LD_LIBRARY_PATH={}", fmt::join(folders, ":")) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
}

std::string conda_prefix_around(std::string_view path, ImageStore& images) {
  for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder))
    if (images.folder_exists(std::string(folder) + "/conda-meta")) return std::string(folder);
  return "";
}

}  // namespace cudald

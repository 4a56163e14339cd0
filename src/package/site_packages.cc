#include "package/site_packages.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/extension_suffix.h"
#include "base/path.h"

namespace cudald {

bool is_module_file(std::string_view file, std::string_view module) {
  if (!file.starts_with(module)) return false;
  if (file.ends_with(".pyd")) {
    const auto tag = file.substr(module.size(), file.size() - module.size() - 4);
    return tag.empty() || tag.starts_with(".cp");
  }
  if (!file.ends_with(".so")) return false;
  const auto middle = file.substr(module.size(), file.size() - module.size() - 3);
  return middle.empty() || middle.starts_with(".cpython-") || (middle.rfind('.') == 0 && has_stable_abi_suffix(file));
}

bool is_shared_object_name(std::string_view file) {
  constexpr std::string_view suffix = ".so";
  const auto at = file.find(suffix);
  if (at == std::string_view::npos) return false;
  if (file.ends_with(suffix)) return true;
  const auto rest = file.substr(at + suffix.size());
  const auto last = rest.substr(rest.rfind('.') + 1);
  return rest.front() == '.' && std::any_of(last.begin(), last.end(), is_digit);
}

std::vector<std::string> site_packages(const std::string& prefix, const FileSystem& files) {
  std::vector<std::string> folders;
  for (const auto* lib : {"/lib", "/lib64"}) {
    const auto entries = files.list(prefix + lib);
    if (!entries) continue;
    for (const auto& entry : *entries)
      if (entry.starts_with("python3")) {
        auto folder = prefix + lib + "/" + entry + "/site-packages";
        if (is_folder(files, folder)) folders.push_back(std::move(folder));
      }
  }
  return folders;
}

std::string site_packages_of(const std::string& path) {
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.rfind(mark); at != std::string::npos) return path.substr(0, at + mark.size() - 1);
  return "";
}

}  // namespace cudald

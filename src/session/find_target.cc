#include "session/find_target.h"

#include <cudald/query.h>

#include "base/path.h"
#include "os/this_windows.h"
#include "os/typed_path.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

std::optional<std::string> in_site_packages(const std::string& name, const std::string& folder, ImageStore& images) {
  const auto& files = images.files();
  const auto entries = files.list(folder);
  if (!entries) return std::nullopt;
  for (const auto& entry : *entries)
    if (entry == name) {
      auto path = folder + "/" + entry;
      if (is_file(files, path)) return path;
    }
  if (name.find(".so") == std::string::npos) return std::nullopt;
  // Where wheels put libraries: beside the package, in its lib folder, in NAME.libs, in nvidia/COMPONENT/lib.
  for (const auto& entry : *entries) {
    for (const auto* below : {"/", "/lib/", "/lib64/"}) {
      auto path = folder + "/" + entry + below + name;
      if (is_file(files, path)) return path;
    }
    if (entry != "nvidia") continue;
    const auto components = files.list(folder + "/" + entry);
    if (!components) continue;
    for (const auto& component : *components) {
      auto path = folder + "/" + entry + "/" + component + "/lib/" + name;
      if (is_file(files, path)) return path;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> programs_on_path(const std::string& name, const Query& query, const FileSystem& files) {
  std::vector<std::string> programs;
  const auto path = query.environment.variable("PATH").value_or("");
  const bool on_windows = this_windows() != nullptr && query.sysroot == "/";
  const auto file = on_windows && name.find('.') == std::string::npos ? name + ".exe" : name;
  for (const auto folder : split(path, on_windows ? ";" : ":")) {
    if (folder.empty()) continue;
    auto candidate = absolute_path(tree_path_of_typed(std::string(folder)), query.environment.cwd) + "/" + file;
    const auto status = files.status(candidate);
    if (status && status->kind == FileKind::regular && status->executable) programs.push_back(std::move(candidate));
  }
  return programs;
}

std::optional<std::string> find_target(const std::string& given, const Query& query, ImageStore& images) {
  if (given.find('/') != std::string::npos) return given;
  const auto& files = images.files();
  if (is_file(files, absolute_path(given, query.environment.cwd))) return "./" + given;
  if (query.prefix)
    if (const auto program = absolute_path(*query.prefix, query.environment.cwd) + "/bin/" + given;
        is_file(files, program))
      return program;
  if (given.find(".so") == std::string::npos)
    if (auto programs = programs_on_path(given, query, files); !programs.empty()) return std::move(programs.front());
  if (query.prefix)
    for (const auto& folder : site_packages(*query.prefix, files))
      if (auto found = in_site_packages(given, folder, images)) return found;
  return std::nullopt;
}

}  // namespace cudald

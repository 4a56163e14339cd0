// Packages of npm whose compiled file is in an optional dependency for each platform. The generated JavaScript asks for
// the one of the platform it runs on, and where that fails says no more than that there is none: it may be missing, as
// a lock file or node_modules comes from another platform, or be there and not load.
// Sources: napi-rs, cli/src/api/templates/js-binding.ts; Node.js, Modules: CommonJS modules, "Loading from node_modules
// folders"; npm/cli issue 4828; Electron, Application Packaging, files that are unpacked.

#include "session/native_binding.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "package/npm_package.h"

namespace cudald {
namespace {

constexpr std::string_view modules = "/node_modules/", packed = "/app.asar/", unpacked = "/app.asar.unpacked/";
constexpr std::uint64_t most_description = 1 << 20;

/// A directory of a package that the text names.
struct PackageFolder {
  std::string path;  ///< "/app/node_modules/@swc/core"
  std::string name;  ///< "@swc/core"
  bool windows = false;
};

/// The package to which the first file in a node_modules of the text belongs.
PackageFolder named_package(std::string text, const std::string& cwd) {
  replace_all(text, "\\", "/");
  auto at = text.find("node_modules/");
  if (at == std::string::npos) return {};
  const auto before = text.find_last_of(" \t\r\n'\"`(<", at);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  auto word = text.substr(begin, text.find_first_of(" \t\r\n'\"`)<", at) - begin);
  constexpr std::string_view scheme = "file://";
  if (word.starts_with(scheme)) word.erase(0, scheme.size());
  PackageFolder found;
  if (word.find(":/") == 1 || word.find(":/") == 2) {  // "C:/app", "/C:/app" of an address
    found.windows = true;
    word.erase(0, word.find('/', 1) == 2 ? 2 : 3);
  }
  word = absolute_path(word, cwd);
  const auto last = word.rfind(modules);
  if (last == std::string::npos) return {};
  found.name = npm_name_at(std::string_view(word).substr(last + modules.size()));
  found.path = word.substr(0, last + modules.size()) + found.name;
  return found;
}

/// As the names of such packages have it; empty for others. Source: napi-rs, Cross Compilation, the supported targets.
std::string platform_of_tree(const FileSystem& files) {
  constexpr std::pair<std::string_view, std::string_view> loaders[] = {
      {"/lib64/ld-linux-x86-64.so.2", "linux-x64-gnu"},
      {"/lib/ld-linux-aarch64.so.1", "linux-arm64-gnu"},
      {"/lib/ld-linux-armhf.so.3", "linux-arm-gnueabihf"},
      {"/lib/ld-musl-x86_64.so.1", "linux-x64-musl"},
      {"/lib/ld-musl-aarch64.so.1", "linux-arm64-musl"},
      {"/lib/ld-linux-riscv64-lp64d.so.1", "linux-riscv64-gnu"},
      {"/lib64/ld64.so.2", "linux-ppc64-gnu"},
      {"/lib/ld64.so.1", "linux-s390x-gnu"}};
  for (const auto& [loader, platform] : loaders)
    if (is_file(files, std::string(loader))) return std::string(platform);
  return "";
}

/// The platform of which a text says that its file is not found, as the JavaScript asked for it: "linux-arm64-musl" of
/// "Cannot find module '@rollup/rollup-linux-arm64-musl'" and "'../x.linux-arm64-musl.node'". Empty if it says none.
std::string platform_in(const std::string& text) {
  constexpr std::string_view before = "Cannot find module '", ending = ".node";
  const auto at = text.find(before);
  if (at == std::string::npos) return "";
  const auto begin = at + before.size();
  auto name = text.substr(begin, std::min(text.find('\'', begin), text.size()) - begin);
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  for (const auto* system : {"linux-", "win32-"})
    if (const auto place = name.rfind(system); place != std::string::npos && place != 0) return name.substr(place);
  return "";
}

/// Where a package may be: of what a program of Electron has in its archive, what had to be unpacked.
std::vector<std::string> places_of(const std::string& path) {
  std::vector<std::string> places{path};
  if (auto outside = path; path.find(packed) != std::string::npos) {
    replace_all(outside, packed, unpacked);
    places.push_back(std::move(outside));
  }
  return places;
}

nlohmann::json description_of(const std::string& folder, const FileSystem& files) {
  const auto text = read_file(files, folder + "/package.json", most_description);
  return text ? parse_json(*text) : nlohmann::json();
}

/// The directories in which Node looks for what a package asks for, from its own on.
std::vector<std::string> module_folders(std::string folder) {
  std::vector<std::string> found;
  for (; folder.size() > 1; folder = std::string(parent_path(folder)))
    if (file_name(folder) != "node_modules") found.push_back(folder + "/node_modules");
  return found;
}

/// The compiled file in a directory; empty if there is none.
std::string compiled_in(const std::string& folder, std::string_view platform, const FileSystem& files) {
  const auto names = files.list(folder);
  if (!names) return "";
  const auto ending = platform.empty() ? std::string(".node") : fmt::format(".{}.node", platform);
  const auto found =
      std::find_if(names->begin(), names->end(), [&](const std::string& name) { return name.ends_with(ending); });
  return found == names->end() ? "" : folder + "/" + *found;
}

/// One for another platform in these directories: "@swc/core-win32-x64-msvc".
std::string of_another_platform(const std::string& stem, const std::vector<std::string>& folders,
                                const FileSystem& files) {
  constexpr std::string_view systems[] = {"linux-", "win32-", "darwin-", "android-", "freebsd-"};
  const auto scope = stem.find('/') == std::string::npos ? std::string() : stem.substr(0, stem.find('/') + 1);
  for (const auto& folder : folders) {
    const auto names = files.list(scope.empty() ? folder : folder + "/" + scope.substr(0, scope.size() - 1));
    if (!names) continue;
    for (const auto& entry : *names) {
      const auto name = scope + entry;
      if (!name.starts_with(stem + "-")) continue;
      const auto rest = std::string_view(name).substr(stem.size() + 1);
      if (std::any_of(std::begin(systems), std::end(systems), [&](auto each) { return rest.starts_with(each); }))
        return name;
    }
  }
  return "";
}

/// What installs all packages of a project again, by the tool whose lock file is there. Sources: npm/cli issue 4828;
/// pnpm, yarn and bun, their lock files; npm folders, global installation; npx, its cache.
std::string install_again(const PackageFolder& package, const FileSystem& files) {
  const auto root = package.path.substr(0, package.path.find(modules));
  auto shown = package.windows ? "C:" + root : root;
  if (package.windows) std::replace(shown.begin(), shown.end(), '/', '\\');
  shown = package.windows ? windows_word(shown) : shell_word(shown);
  if (root.find("/_npx/") != std::string::npos) return (package.windows ? "rmdir /s /q " : "rm -rf ") + shown;
  if (!is_file(files, root + "/package.json") && (root.ends_with("/lib") || root.ends_with("/npm")))
    return "npm install -g " + npm_name_at(package.path.substr(root.size() + modules.size()));
  constexpr std::pair<std::string_view, std::string_view> tools[] = {
      {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}};
  std::string_view lock = "package-lock.json", tool = "npm";
  for (const auto& [name, by] : tools)
    if (is_file(files, root + "/" + std::string(name))) std::tie(lock, tool) = std::pair(name, by);
  return package.windows ? fmt::format("cd /d {} && rmdir /s /q node_modules & del {} & {} install", shown, lock, tool)
                         : fmt::format("cd {} && rm -rf node_modules {} && {} install", shown, lock, tool);
}

/// The optional dependency for the platform: as the package lists it, else as such names are made.
std::string wanted_of(const PackageFolder& package, const nlohmann::json& description, const std::string& platform) {
  const auto listed = description.is_object() ? description.find("optionalDependencies") : description.end();
  if (!description.is_object() || listed == description.end() || !listed->is_object())
    return package.name + "-" + platform;
  for (const auto& [name, version] : listed->items())
    if (name.ends_with("-" + platform)) return name;
  return "";
}

}  // namespace

NativeBinding native_binding(const std::string& text, const FileSystem& files, const std::string& cwd) {
  const auto package = named_package(text, cwd);
  NativeBinding found;
  found.platform = platform_in(text);
  if (found.platform.empty()) found.platform = package.windows ? "win32-x64-msvc" : platform_of_tree(files);
  if (package.name.empty() || found.platform.empty()) return found;
  nlohmann::json description;
  std::vector<std::string> folders;
  bool is_there = false;
  for (const auto& place : places_of(package.path)) {
    is_there = is_there || is_folder(files, std::string(parent_path(place)));
    if (!description.is_object()) description = description_of(place, files);
    if (found.file.empty()) found.file = compiled_in(place, found.platform, files);
    for (auto& folder : module_folders(place)) folders.push_back(std::move(folder));
  }
  if (!is_there) return found;
  found.package = package.name;
  found.version = text_at(description, "version");
  found.wanted = wanted_of(package, description, found.platform);
  found.command = install_again(package, files);
  const auto any = found.wanted.empty() ? package.name + "-" + found.platform : found.wanted;
  for (const auto& folder : folders)
    if (found.file.empty() && !found.wanted.empty()) found.file = compiled_in(folder + "/" + found.wanted, "", files);
  if (found.file.empty())
    found.installed = of_another_platform(any.substr(0, any.size() - found.platform.size() - 1), folders, files);
  return found;
}

}  // namespace cudald

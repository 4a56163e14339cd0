#include "pyimport/visible.h"

#include <algorithm>
#include <array>

#include "base/path.h"
#include "package/package_tree.h"

namespace cudald::python {
namespace {

constexpr std::array<std::string_view, 3> open_names{"PATH", "HOME", "VIRTUAL_ENV"};
constexpr std::array<std::string_view, 5> open_beginnings{"LD_", "CUDA", "NVIDIA", "PYTHON", "CONDA"};
constexpr std::array<std::string_view, 6> secret_words{"KEY", "TOKEN", "SECRET", "PASS", "CRED", "AUTH"};

/// The parts of a prefix in which an installation lies; its settings, as pip.conf, are none of them.
constexpr std::array<std::string_view, 10> parts_of_prefix{"lib",     "lib64", "libexec", "bin",     "share",
                                                           "include", "Lib",   "DLLs",    "Library", "Scripts"};
/// Folders of the system in which names are no secret.
constexpr std::array<std::string_view, 9> open_folders{"/usr", "/lib", "/lib32", "/lib64",      "/libx32",
                                                       "/opt", "/dev", "/sys",   "/proc/driver"};
/// What no line of a .pth file and no PYTHONPATH makes a folder of packages.
constexpr std::array<std::string_view, 8> closed_folders{"/etc", "/proc", "/sys",  "/dev",
                                                         "/run", "/home", "/root", "/var"};
constexpr std::array<std::string_view, 5> closed_wholly{"/etc", "/proc", "/sys", "/dev", "/run"};

bool is_inside(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || root.ends_with('/') || path[root.size()] == '/');
}

template <typename Roots>
bool is_inside_any(std::string_view path, const Roots& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](std::string_view root) { return is_inside(path, root); });
}

bool may_hold_packages(const std::string& folder, const PythonEnvironment& environment) {
  const auto home = environment.variables.find("HOME");
  return folder != "/" && (home == environment.variables.end() || folder != home->second) &&
         std::find(closed_folders.begin(), closed_folders.end(), folder) == closed_folders.end() &&
         !is_inside_any(folder, closed_wholly);
}

bool is_absent(const Result<std::string>& real_path) {
  return !real_path && real_path.error().code == ErrorCode::absent;
}

}  // namespace

bool is_open_variable(std::string_view name) {
  if (std::any_of(secret_words.begin(), secret_words.end(),
                  [&](std::string_view word) { return name.find(word) != std::string_view::npos; }))
    return false;
  return std::find(open_names.begin(), open_names.end(), name) != open_names.end() ||
         std::any_of(open_beginnings.begin(), open_beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

VisibleFiles::VisibleFiles(const PythonEnvironment& environment, const FileSystem& files)
    : files_(files),
      judges_packages_(std::any_of(environment.path.begin(), environment.path.end(),
                                   [](const std::string& folder) { return folder.starts_with(PackageTree::prefix); })) {
  add("/etc/ld.so.cache");
  for (const auto& prefix : {environment.prefix, environment.base_prefix}) {
    if (prefix.empty()) continue;
    if (environment.version.empty() && prefix != "/") add(prefix);
    for (const auto part : parts_of_prefix) add((prefix == "/" ? "" : prefix) + "/" + std::string(part));
  }
  for (const auto& folder : environment.path)
    if (may_hold_packages(folder, environment)) add(folder);
}

void VisibleFiles::add(std::string root) {
  if (std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(std::move(root));
}

bool VisibleFiles::holds(const std::string& path) const { return is_inside_any(normal_path(path), roots_); }

bool VisibleFiles::may_follow(const std::string& path) const {
  return holds(path) || (!judges_packages_ && !is_inside_any(normal_path(path), closed_wholly));
}

bool VisibleFiles::may_read(const std::string& path) const {
  const auto real = files_.real_path(path);
  if (is_absent(real)) return true;  // which os.path.exists tells as well
  if (!holds(path)) return false;
  if (!real) return true;  // nothing is read there
  if (is_inside_any(*real, roots_)) return true;
  if (!real_roots_) {
    real_roots_.emplace();
    for (const auto& root : roots_)
      if (const auto real_root = files_.real_path(root)) real_roots_->push_back(*real_root);
  }
  return is_inside_any(*real, *real_roots_);
}

bool VisibleFiles::may_list(const std::string& folder) const {
  return folder == "/" || holds(folder) || is_inside_any(normal_path(folder), open_folders) ||
         is_absent(files_.real_path(folder));
}

}  // namespace cudald::python

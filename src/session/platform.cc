#include "session/platform.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "session/find_target.h"
#include "session/required_wheels.h"
#include "session/target_python.h"
#include "session/windows_world.h"

namespace cudald {

std::string RunState::absolute(const std::string& path) const { return absolute_path(path, package_folder(query)); }

bool RunState::is_folder_of_packages(const std::string& given) const {
  return is_folder(store.packages, absolute(given));
}

bool RunState::has_folders_of_packages() const {
  return std::any_of(query.packages.begin(), query.packages.end(),
                     [this](const std::string& given) { return is_folder_of_packages(given); });
}

std::optional<std::string> RunState::find(const std::string& given) {
  if (given.starts_with("py:")) return std::nullopt;
  auto tree = store.packages.description().parts;
  if (!found_ || found_->given != given || found_->tree != tree)
    found_ = {given, std::move(tree), find_target(given, query, store.images)};
  return found_->path;
}

void RunState::refuse(const std::string& given, Error error) {
  Target target;
  target.given = given;
  target.unreadable = std::move(error);
  refused.push_back(std::move(target));
}

namespace {

/// Whether the libraries of a package are PE files.
bool is_windows_package(const Package& package, ImageStore& images) {
  const auto is_named_for_windows = [](const std::string& path) {
    const auto name = folded(path);
    return name.ends_with(".dll") || name.ends_with(".pyd") || name.ends_with(".exe");
  };
  // Nothing of a wheel for Linux is opened before all packages are installed.
  if (std::none_of(package.libraries.begin(), package.libraries.end(), is_named_for_windows)) return false;
  // Of mixed names the first file that can be read tells: TensorFlow's operators are PE files called .so.
  for (const auto& path : package.libraries) {
    const auto& opened = images.open(path);
    if (!opened.error && (opened.image->is_elf() || opened.image->is_pe())) return opened.image->is_pe();
  }
  return false;
}

}  // namespace

void take_from_folders(RunState& run, PythonEnvironment python, bool windows) {
  WheelPool pool(run.store.packages);
  for (const auto& package : run.query.packages)
    if (run.is_folder_of_packages(package)) pool.add_folder(run.absolute(package));
  if (pool.empty()) return;
  std::vector<std::string> modules;
  for (const auto& given : run.query.targets) {
    const auto name = without_mark(given);
    if (is_module_name(name) && !is_package_name(given)) modules.push_back(name);
  }
  auto taken = install_required_wheels(pool, modules, run.query, std::move(python), windows, run.store.packages);
  for (auto& note : taken.notes) run.notes.push_back(std::move(note));
  for (auto& [path, error] : taken.faults) run.refuse(path, std::move(error));
}

bool is_for_windows(RunState& run) {
  const auto& query = run.query;
  auto& images = run.store.images;
  const auto& packages = run.store.packages;
  if (query.targets.empty()) return false;
  if (query.windows) return *query.windows;
  const auto& first = query.targets.front();
  const auto is_pe = [&](const std::string& path) {
    const auto& opened = images.open(path);
    return !opened.error && opened.image->is_pe();
  };
  if (const auto package = run.installed.find(first); package != run.installed.end())
    return is_windows_package(packages.packages()[package->second], images);
  if (query.prefix && is_windows_python(run.absolute(*query.prefix), packages)) return true;
  const bool module = first.starts_with("py:") || (first.find('/') == std::string::npos && is_module_name(first));
  if (module && !query.prefix)
    for (const auto& [given, number] : run.installed)
      if (is_windows_package(packages.packages()[number], images)) return true;
  if (const auto path = run.find(first)) {
    const auto place = run.absolute(*path);
    return is_pe(place) || (asks_about_this_windows(query) && images.open(place).error);
  }
  if (asks_about_this_windows(query)) return true;
  return folded(first).ends_with(".dll") && !query.environment.dll_path.empty() && first.find('/') == std::string::npos;
}

}  // namespace cudald

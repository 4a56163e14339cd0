#include "package/wheel_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "archive/zip_directory.h"
#include "base/path.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

/// How many parts of a dotted module name a wheel has: 2 of cuda.bindings.driver, if cuda/bindings/ is a folder of it
/// and driver lies nowhere there.
std::size_t parts_held(const ZipDirectory& directory, const std::vector<std::string_view>& parts) {
  std::size_t held = 0;
  for (const auto& member : directory.members()) {
    const std::string_view name(member.name);
    std::string path;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      path += parts[part];
      const bool is_file = name == path + ".py" || is_module_file(name, path);
      path += "/";
      if (!is_file && !name.starts_with(path)) break;
      held = std::max(held, part + 1);
    }
  }
  return held;
}

}  // namespace

void WheelPool::add_folder(const std::string& folder) {
  const auto names = files_.list(folder);
  if (!names) return;
  for (const auto& name : *names)
    if (auto parsed = name.ends_with(".whl") ? parse_wheel_file_name(name) : std::nullopt)
      wheels_[normal_distribution_name(parsed->distribution)].push_back({folder + "/" + name, std::move(*parsed)});
}

std::string WheelPool::choose(const std::string& distribution, const std::vector<std::string>& specifiers,
                              const WheelEnvironment& environment) const {
  const auto found = wheels_.find(distribution);
  if (found == wheels_.end()) return "";
  const Wheel* best = nullptr;
  std::optional<WheelRank> best_rank;
  for (const auto& wheel : found->second) {
    auto rank = rank_of(wheel.name, specifiers, environment);
    if (!rank || (best_rank && *rank <= *best_rank)) continue;
    best = &wheel;
    best_rank = std::move(rank);
  }
  return best == nullptr ? "" : best->path;
}

std::size_t WheelPool::count(const std::string& distribution) const {
  const auto found = wheels_.find(distribution);
  return found == wheels_.end() ? 0 : found->second.size();
}

std::string WheelPool::distribution_of(const std::string& module, Budget& budget) const {
  const auto parts = split(module, ".");
  const auto same = normal_distribution_name(module);
  if (parts.size() == 1 && has(same)) return same;
  std::pair<std::size_t, std::string> best;
  for (const auto& [distribution, wheels] : wheels_) {
    const auto file = files_.open(wheels.front().path);
    if (!file) continue;
    if (!budget.step()) return "";
    const auto directory = read_zip_directory(**file);
    if (!directory) continue;
    constexpr std::size_t steps_of_a_member = 4;
    if (!budget.step(steps_of_a_member * directory->members().size())) return "";
    const auto held = parts_held(*directory, parts);
    if (held == parts.size()) return distribution;
    if (held > best.first) best = {held, distribution};
  }
  return best.second;
}

std::string WheelPool::newest_python() const {
  int newest = -1;
  for (const auto& [distribution, wheels] : wheels_)
    for (const auto& wheel : wheels)
      for (const auto& tag : wheel.name.abi_tags)
        if (tag.starts_with("cp3")) newest = std::max(newest, minor_version(tag));
  return newest < 0 ? "" : "3." + std::to_string(newest);
}

}  // namespace cudald

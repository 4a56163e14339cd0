#include "package/wheel_pool.h"

#include <algorithm>
#include <tuple>

#include "base/path.h"
#include "fs/zip_directory.h"
#include "package/site_packages.h"
#include "package/version.h"

namespace cudald {

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
  const auto rank = [&](const Wheel& wheel) {
    return std::tuple(parse_version(wheel.name.version), preference_of(wheel.name, environment));
  };
  for (const auto& wheel : found->second) {
    if (!fits(wheel.name, environment)) continue;
    if (!std::all_of(specifiers.begin(), specifiers.end(),
                     [&](const std::string& specifier) { return allows(specifier, wheel.name.version); }))
      continue;
    if (best == nullptr || rank(wheel) > rank(*best)) best = &wheel;
  }
  return best == nullptr ? "" : best->path;
}

std::size_t WheelPool::count(const std::string& distribution) const {
  const auto found = wheels_.find(distribution);
  return found == wheels_.end() ? 0 : found->second.size();
}

std::string WheelPool::distribution_of(const std::string& module, Budget& budget) const {
  if (const auto same = normal_distribution_name(module); has(same)) return same;
  const auto folder = module + "/";
  for (const auto& [distribution, wheels] : wheels_) {
    const auto file = files_.open(wheels.front().path);
    if (!file) continue;
    if (!budget.step()) return "";
    const auto directory = read_zip_directory(**file);
    if (!directory) continue;
    constexpr std::size_t steps_of_a_member = 4;
    if (!budget.step(steps_of_a_member * directory->members().size())) return "";
    for (const auto& member : directory->members()) {
      const std::string_view name(member.name);
      if (name.starts_with(folder) || name == module + ".py" || is_module_file(name, module)) return distribution;
    }
  }
  return "";
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

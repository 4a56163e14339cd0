#include "package/wheel_pool.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/path.h"
#include "fs/zip_directory.h"
#include "package/site_packages.h"
#include "package/version.h"

namespace cudald {
namespace {

/// 11 in "cp311", "py311" and "3.11"; -1 if it names no minor version.
int minor_version(std::string_view text) {
  int minor = -1;
  const auto at = text.find('3');
  if (at == std::string_view::npos) return -1;
  const auto digits = text.substr(at + 1).starts_with('.') ? text.substr(at + 2) : text.substr(at + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return minor;
}

// Source: PEP 425; packaging.tags, compatible_tags and cpython_tags.
bool fits_python(const WheelFileName& name, std::string_view python_version) {
  const auto minor = minor_version(python_version);
  const auto is = [](const std::vector<std::string>& tags, std::string_view wanted) {
    return std::find(tags.begin(), tags.end(), wanted) != tags.end();
  };
  return std::any_of(name.python_tags.begin(), name.python_tags.end(), [&](const std::string& tag) {
    if (tag == "py3") return true;
    if (tag.starts_with("cp3")) {
      if (minor < 0 || minor_version(tag) == minor) return true;
      return (is(name.abi_tags, "abi3") || is(name.abi_tags, "none")) && minor_version(tag) <= minor;
    }
    return tag.starts_with("py3") && (minor < 0 || minor_version(tag) <= minor);
  });
}

/// Whether "musllinux_1_2_x86_64" is made for a musl that is not newer. Source: PEP 656.
bool fits_musl(std::string_view tag, const LibcVersion& musl) {
  constexpr std::string_view start = "musllinux_";
  if (!tag.starts_with(start)) return false;
  const auto parts = split(tag.substr(start.size()), "_");
  if (parts.size() < 3) return false;
  int major = -1, minor = -1;
  std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), major);
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), minor);
  return major == musl.major && minor >= 0 && minor <= musl.minor;
}

bool fits_machine(const WheelFileName& name, const WheelPool::Environment& environment) {
  return std::any_of(name.platform_tags.begin(), name.platform_tags.end(), [&](const std::string& tag) {
    if (tag == "any" || tag == environment.windows_tag) return true;
    if (!environment.windows_tag.empty()) return false;
    if (!tag.ends_with("_" + environment.machine)) return false;
    if (tag.starts_with("linux")) return true;
    return environment.musl ? fits_musl(tag, *environment.musl) : tag.starts_with("manylinux");
  });
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
                              const Environment& environment) const {
  const auto found = wheels_.find(distribution);
  if (found == wheels_.end()) return "";
  const Wheel* best = nullptr;
  // Of one version the wheel that is made for this Python counts for more than one for any.
  const auto rank = [](const Wheel& wheel) {
    return std::tuple(parse_version(wheel.name.version), wheel.name.abi_tags.front() != "none");
  };
  for (const auto& wheel : found->second) {
    if (!fits_python(wheel.name, environment.python_version) || !fits_machine(wheel.name, environment)) continue;
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

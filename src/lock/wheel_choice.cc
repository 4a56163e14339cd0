#include "lock/wheel_choice.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {

const LockedFile* choose_wheel(const std::vector<LockedFile>& wheels, const std::vector<std::string>& specifiers,
                               const WheelEnvironment& environment) {
  const bool pinned =
      std::any_of(specifiers.begin(), specifiers.end(), [](const std::string& each) { return each.starts_with("=="); });
  // Of "3.11" the latest correction is meant, as requirements like >=3.8.1 leave out the first ones.
  const auto& series = environment.python_version;
  const auto python = series.empty() ? "" : series + ".99";
  const auto is_allowed = [&](const LockedFile& wheel, const std::string& version) {
    return (!wheel.yanked || pinned) &&
           (wheel.requires_python.empty() || python.empty() || allows(wheel.requires_python, python)) &&
           std::all_of(specifiers.begin(), specifiers.end(),
                       [&](const std::string& each) { return allows(each, version); });
  };
  using Rank = std::tuple<bool, DistributionVersion, WheelPreference>;
  const LockedFile* best = nullptr;
  std::optional<Rank> best_rank;
  for (const auto& wheel : wheels) {
    const auto name = parse_wheel_file_name(wheel.name);
    const auto version = name ? parse_version(name->version) : std::nullopt;
    if (!version || !fits(*name, environment) || !is_allowed(wheel, name->version)) continue;
    Rank rank(!version->is_prerelease(), *version, preference_of(*name, environment));
    if (best_rank && rank <= *best_rank) continue;
    best = &wheel;
    best_rank = std::move(rank);
  }
  return best;
}

}  // namespace cudald

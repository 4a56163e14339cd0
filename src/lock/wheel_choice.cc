#include "lock/wheel_choice.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "package/version.h"
#include "package/wheel_tags.h"
#include "package/wheel_texts.h"

namespace cudald {

const LockedFile* choose_wheel(const std::vector<LockedFile>& wheels, const std::vector<std::string>& specifiers,
                               const WheelEnvironment& environment, std::string_view until) {
  const bool pinned =
      std::any_of(specifiers.begin(), specifiers.end(), [](const std::string& each) { return each.starts_with("=="); });
  // Of "3.11" the latest correction is meant, as requirements like >=3.8.1 leave out the first ones.
  const auto& series = environment.python_version;
  const auto python = series.empty() ? "" : series + ".99";
  const auto is_offered = [&](const LockedFile& wheel) {
    return (!wheel.yanked || pinned) && (until.empty() || (!wheel.uploaded.empty() && wheel.uploaded <= until)) &&
           (wheel.requires_python.empty() || python.empty() || allows(wheel.requires_python, python));
  };
  const LockedFile* best = nullptr;
  std::optional<WheelRank> best_rank;
  for (const auto& wheel : wheels) {
    const auto name = is_offered(wheel) ? parse_wheel_file_name(wheel.name) : std::nullopt;
    auto rank = name ? rank_of(*name, specifiers, environment) : std::nullopt;
    if (!rank || (best_rank && *rank <= *best_rank)) continue;
    best = &wheel;
    best_rank = std::move(rank);
  }
  return best;
}

const LockedFile* choose_wheel_at(std::string_view time, const std::vector<LockedFile>& wheels,
                                  const std::vector<std::string>& specifiers, const WheelEnvironment& environment) {
  if (const auto* best = choose_wheel(wheels, specifiers, environment, time)) return best;
  std::vector<std::string_view> later;
  for (const auto& wheel : wheels)
    if (wheel.uploaded > time) later.push_back(wheel.uploaded);
  std::sort(later.begin(), later.end());
  const auto none_yet = [&](std::string_view until) {
    return choose_wheel(wheels, specifiers, environment, until) == nullptr;
  };
  const auto first = std::partition_point(later.begin(), later.end(), none_yet);
  return first == later.end() ? nullptr : choose_wheel(wheels, specifiers, environment, *first);
}

}  // namespace cudald

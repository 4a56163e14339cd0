// Whether each library from outside does come with a package is for the simulation in the world of the tag.
#include "repair/wheel_platform.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudald {
namespace {

Error refused(std::string message) { return {ErrorCode::malformed, std::move(message), ""}; }

}  // namespace

Result<std::string> platform_of_repaired(const WheelReport& wheel) {
  if (!wheel.windows_files.empty())
    return refused("wheels for Windows are not edited; cudald explain prints what their author has to change");
  if (wheel.files.empty()) return refused("it has no ELF files");
  if (!wheel.fit) return refused(fmt::format("no platform tags are known for {}", wheel.machine));
  const auto& fit = *wheel.fit;
  if (fit.claimed) return std::string();
  if (fit.fits_but_for_libraries < fit.tags.size()) return fit.tags[fit.fits_but_for_libraries];
  const auto in_the_way = std::find_if(fit.obstacles.begin(), fit.obstacles.end(), [&](const PolicyObstacle& each) {
    return each.since == fit.tags.size() && each.kind != ObstacleKind::library;
  });
  return refused(fmt::format("no {} tag fits: {}", fit.family,
                             in_the_way == fit.obstacles.end() ? "it is not known what its files need"
                                                               : fmt::format("it needs {}", in_the_way->name)));
}

std::string doubt_of_platform(const WheelReport& wheel) {
  if (!wheel.fit || !wheel.fit->claimed || *wheel.fit->claimed >= wheel.fit->fits_but_for_libraries) return "";
  const auto& fit = *wheel.fit;
  const auto newer = [&](const PolicyObstacle& each) {
    return each.kind != ObstacleKind::library && each.since > *fit.claimed;
  };
  const auto why = std::find_if(fit.obstacles.begin(), fit.obstacles.end(), newer);
  if (why == fit.obstacles.end() || why->members.empty()) return "";
  return fmt::format("the tag stays {}, but {} needs {}{}", fit.claimed_tag, why->members.front(), why->name,
                     why->members.size() == 1 ? "" : fmt::format(" (as {} more files)", why->members.size() - 1));
}

}  // namespace cudald

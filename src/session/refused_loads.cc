#include "session/refused_loads.h"

#include <algorithm>

namespace cudald {

std::size_t times_asked(const std::vector<Target>& targets, const std::string& name, std::size_t before) {
  const auto end = targets.begin() + static_cast<std::ptrdiff_t>(std::min(before, targets.size()));
  return static_cast<std::size_t>(std::count_if(targets.begin(), end, [&](const Target& target) {
    return target.given == name && !target.traits.asked_at.empty();
  }));
}

RefusedLoads refused_attempts(const std::vector<Target>& targets, const std::set<std::size_t>& refused) {
  RefusedLoads loads;
  for (const auto number : refused) {
    const auto& target = targets[number];
    if (!target.part_of || !target.traits.optional || target.traits.asked_at.empty() || is_later(target)) continue;
    loads.emplace(std::pair(target.given, times_asked(targets, target.given, number)), target.error);
  }
  return loads;
}

}  // namespace cudald

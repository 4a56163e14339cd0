#include "base/listed.h"

#include <algorithm>

#include <fmt/core.h>

namespace cudald {

std::string listed(const std::vector<std::string>& names, std::size_t shown) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

std::string counted(std::size_t count, std::string_view noun) {
  if (count == 1) return fmt::format("{} {}", count, noun);
  return noun.ends_with("y") ? fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1))
                             : fmt::format("{} {}s", count, noun);
}

}  // namespace cudald

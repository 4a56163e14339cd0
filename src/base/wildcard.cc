#include "base/wildcard.h"

#include <fnmatch.h>

#include <algorithm>

namespace cudald {

bool matches(std::string_view text, std::string_view pattern) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

bool matches_any(std::string_view text, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& pattern) { return matches(text, pattern); });
}

}  // namespace cudald

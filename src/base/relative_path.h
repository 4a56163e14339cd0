#pragma once

#include <algorithm>
#include <string>

#include "base/path.h"

namespace cudald {

/// The way from one directory to another, to stand behind $ORIGIN: "/../lib"; empty if they are the same. Both are
/// absolute, and may contain "..": the loader keeps those of the search path that led to a library.
inline std::string relative_path(const std::string& from, const std::string& to) {
  const auto start = normal_path(from), end = normal_path(to);
  const auto a = split(start, "/"), b = split(end, "/");
  auto [up, down] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  std::string result;
  for (; up != a.end(); ++up) result += "/..";
  for (; down != b.end(); ++down) (result += '/') += *down;
  return result;
}

}  // namespace cudald

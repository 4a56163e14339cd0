#pragma once

#include <algorithm>
#include <string>

#include "base/path.h"

namespace cudald {

/// The way from one directory to another, to stand behind $ORIGIN: "/../lib"; empty if they are the same. Both are
/// absolute.
inline std::string relative_path(const std::string& from, const std::string& to) {
  const auto a = split(from, "/"), b = split(to, "/");
  auto [up, down] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  std::string result;
  for (; up != a.end(); ++up) result += "/..";
  for (; down != b.end(); ++down) (result += '/') += *down;
  return result;
}

}  // namespace cudald

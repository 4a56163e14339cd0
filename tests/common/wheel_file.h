#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cudald {

/// A healthy wheel with nothing compressed: the members given, and METADATA, WHEEL and RECORD of that release, pkg 1.0,
/// with `metadata` added to its METADATA, and this tag in its WHEEL.
std::string wheel_file(std::vector<std::pair<std::string, std::string>> members, const std::string& metadata = "",
                       const std::string& distribution = "pkg", const std::string& tag = "py3-none-any",
                       const std::string& version = "1.0");

}  // namespace cudald

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cudald {

/// "a, b, c and 4 more": at most so many of the names.
std::string listed(const std::vector<std::string>& names, std::size_t shown);

}  // namespace cudald

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// "a, b, c and 4 more": at most so many of the names.
std::string listed(const std::vector<std::string>& names, std::size_t shown);

/// "1 error", "2 errors", "2 directories".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace cudald

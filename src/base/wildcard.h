#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// Whether a whole text fits a pattern of the shell: * stands for any characters, ? for one, [a-c] for one of some.
bool matches(std::string_view text, std::string_view pattern);
bool matches_any(std::string_view text, const std::vector<std::string>& patterns);

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// Puts `to` in the place of each `from`; what it puts there is not looked at again.
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace cudald

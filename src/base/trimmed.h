#pragma once

#include <string_view>

namespace cudald {

constexpr std::string_view all_blanks = " \t\n\v\f\r";  ///< as isspace() tells them in the locale of C

/// A text without the blanks around it; as stated, those of one line.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r") {
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace cudald

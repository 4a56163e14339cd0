#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cudald {

/// The first character of a text. `length` 0: the text is empty, or its first byte starts no valid
/// UTF-8 (overlong forms, surrogates and numbers above U+10FFFF are invalid).
struct Utf8Character {
  std::size_t length = 0;
  char32_t code = 0;
};

Utf8Character first_character(std::string_view text);

/// The same text with each byte that is no valid UTF-8 as \xNN: fit for JSON, which escapes the
/// rest itself.
std::string valid_utf8(std::string_view text);

bool is_ascii(std::string_view text);

/// How many columns of a terminal the text takes: wide East Asian characters take two, combining
/// marks none.
std::size_t display_width(std::string_view text);

}  // namespace cudald

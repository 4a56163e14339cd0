#include "base/shell_word.h"

#include <algorithm>

#include <cudald/writers.h>

namespace cudald {
namespace {

bool is_harmless(char c) {
  const bool letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter_or_digit || std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

bool is_printable_ascii(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string shell_word(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), is_printable_ascii) && escaped(text) == text;
  if (printable && !text.empty() && std::all_of(text.begin(), text.end(), is_harmless)) return std::string(text);
  std::string result = printable ? "'" : "$'";
  for (const char c : text) {
    if (printable) {
      result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    } else if (c == '\'' || c == '\\') {
      (result += '\\') += c;
    } else if (is_printable_ascii(c) && c != '#' && c != ':') {
      result += c;
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      ((result += "\\x") += digits[byte >> 4]) += digits[byte & 15];
    }
  }
  return result + "'";
}

std::string windows_word(std::string_view text) {
  auto result = '"' + escaped(text) + '"';
  std::replace(result.begin() + 1, result.end() - 1, '"', '?');
  return result;
}

}  // namespace cudald

#include "base/utf8.h"

#include <algorithm>
#include <array>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cudald/writers.h>

namespace cudald {
namespace {

void append_escaped_byte(std::string& out, char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

struct Range {
  char32_t first, last;
};

// Unicode Standard Annex 11, classes W and F, in the blocks that file names use.
constexpr std::array wide = {Range{0x1100, 0x115f}, Range{0x2e80, 0xa4cf},   Range{0xac00, 0xd7a3},
                             Range{0xf900, 0xfaff}, Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
                             Range{0xffe0, 0xffe6}, Range{0x1f300, 0x1faff}, Range{0x20000, 0x3fffd}};
constexpr std::array combining = {Range{0x0300, 0x036f}, Range{0x200b, 0x200d}, Range{0x20d0, 0x20ff},
                                  Range{0xfe00, 0xfe0f}};

template <std::size_t count>
bool in_any(const std::array<Range, count>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& r) { return r.first <= code && code <= r.last; });
}

// Characters that move the cursor, start an escape sequence, or change the order in which text is
// shown (Unicode Standard Annex 9; "Trojan Source", CVE-2021-42574).
constexpr bool is_treacherous(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

bool is_ascii(std::string_view text) {
  std::size_t at = 0;
#ifdef __SSE2__
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i))
    if (_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at))) != 0) return false;
#endif
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
Utf8Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead};

  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7f >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {};
  return {length, code};
}

std::string valid_utf8(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0) append_escaped_byte(result, text.front());
    result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

namespace {

/// Whether a service that runs builds would obey what begins here if it stood in a log: `##[` and `##vso[` anywhere in
/// a line, `::` at its beginning, where a word can get by wrapping. Source: actions/runner, ActionCommand.cs; Azure
/// Pipelines agent, Command.cs; TeamCity, "Service messages".
bool is_log_command(std::string_view before, std::string_view rest) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (rest.front() == '#') return before.ends_with('#') && rest.size() > 1 && (rest[1] == '[' || is_letter(rest[1]));
  if (!rest.starts_with("::") || rest.size() < 3 || !is_letter(rest[2])) return false;
  return before.empty() || before.ends_with(' ');
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [length, code] = first_character(text);
    const std::size_t taken = std::max<std::size_t>(length, 1);
    if (length == 0 || is_treacherous(code) || is_log_command(result, text)) {
      for (const char c : text.substr(0, taken)) append_escaped_byte(result, c);
    } else {
      result += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t width = 0;
  while (!text.empty()) {
    const auto [length, code] = first_character(text);
    if (!in_any(combining, code)) width += in_any(wide, code) ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return width;
}

}  // namespace cudald

#include "base/shell_word.h"

#include <utility>

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

std::optional<std::vector<std::string>> plain_words(std::string_view line, bool windows) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool put_in = !windows && quote != '\'' && (c == '$' || c == '`' || c == '\\');
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || (!windows && c == '\''))) {
      quote = c;
      any = true;
    } else if (put_in || (quote == 0 && (c == '|' || c == '>' || c == '<' || c == '&' || c == ';'))) {
      return std::nullopt;
    } else if (quote == 0 && c == ' ') {
      if (any) words.push_back(std::exchange(word, ""));
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(word);
  return quote == 0 && !words.empty() ? std::optional(std::move(words)) : std::nullopt;
}

}  // namespace cudald

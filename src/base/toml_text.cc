#include "base/toml_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace cudald {
namespace {

bool is_of_bare_key(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; }
bool is_of_plain_value(char c) { return is_of_bare_key(c) || c == '+' || c == '.' || c == ':'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_of_line(char c) { return c != '\n'; }

/// Whether a text has the form of a pattern, in which 9 stands for any digit.
bool has_form(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size() && std::equal(text.begin(), text.end(), pattern.begin(), [](char c, char form) {
           return form == '9' ? is_digit(c) : c == form;
         });
}

int number_at(std::string_view text, std::size_t offset, std::size_t length) {
  int value = 0;
  for (const char c : text.substr(offset, length)) value = value * 10 + (c - '0');
  return value;
}

bool is_day(std::string_view text) {
  if (!has_form(text, "9999-99-99")) return false;
  const int year = number_at(text, 0, 4), month = number_at(text, 5, 2), day = number_at(text, 8, 2);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/// "07:32", "07:32:00", "07:32:00.999"
bool is_time(std::string_view text) {
  const auto dot = text.find('.');
  if (dot != std::string_view::npos) {
    const auto fraction = text.substr(dot + 1);
    if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), is_digit) || dot != 8) return false;
    text = text.substr(0, dot);
  }
  const bool with_seconds = has_form(text, "99:99:99");
  if (!with_seconds && !has_form(text, "99:99")) return false;
  return number_at(text, 0, 2) < 24 && number_at(text, 3, 2) < 60 && (!with_seconds || number_at(text, 6, 2) <= 60);
}

/// The same with a zone, as behind a day.
bool is_time_of_day(std::string_view text) {
  if (text.ends_with('Z') || text.ends_with('z')) return is_time(text.substr(0, text.size() - 1));
  constexpr std::size_t zone = 6;
  if (text.size() > zone && (text[text.size() - zone] == '+' || text[text.size() - zone] == '-')) {
    const auto hours = text.substr(text.size() - zone + 1);
    return has_form(hours, "99:99") && is_time(hours) && is_time(text.substr(0, text.size() - zone));
  }
  return is_time(text);
}

/// The number without its underscores; nothing where one does not stand between two digits.
std::optional<std::string> without_underscores(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  const auto is_digit_here = [hexadecimal](char c) {
    return hexadecimal ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : is_digit(c);
  };
  std::string number;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      number += text[i];
      continue;
    }
    if (i == 0 || i + 1 == text.size() || !is_digit_here(text[i - 1]) || !is_digit_here(text[i + 1]))
      return std::nullopt;
  }
  return number;
}

std::optional<std::string> whole_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (text.starts_with("0b")) base = 2;
  if (base != 10) text.remove_prefix(2);
  if (text.starts_with("+-")) return std::nullopt;
  if (base == 10 && text.starts_with('+')) text.remove_prefix(1);
  const auto digits = base == 10 && text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !std::isxdigit(static_cast<unsigned char>(digits.front()))) return std::nullopt;
  if (base == 10 && digits.size() > 1 && digits.front() == '0') return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return std::to_string(value);
}

std::optional<std::string> real_number(const std::string& text) {
  auto rest = std::string_view(text);
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  if (rest == "inf" || rest == "nan") return std::string(text.starts_with('-') ? "-" : "") + std::string(rest);
  const auto digits = [&rest] {
    const auto length = std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin();
    rest.remove_prefix(static_cast<std::size_t>(length));
    return length > 0;
  };
  if (rest.size() > 1 && rest[0] == '0' && is_digit(rest[1])) return std::nullopt;
  if (!digits()) return std::nullopt;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!digits()) return std::nullopt;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    if (!digits()) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  return fmt::format("{:g}", std::strtod(text.c_str(), nullptr));
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

}  // namespace

TomlText::TomlText(std::string_view text) : text_(text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";  // of the order of bytes, which some editors write
  if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
  check_characters();
}

void TomlText::check_characters() {
  std::size_t line = 1;
  const auto refuse = [&](std::string_view why) {
    line_ = line;
    fail(why);
  };
  for (std::size_t i = 0; i < text_.size();) {
    const auto c = static_cast<unsigned char>(text_[i]);
    if (c >= 0x80) {
      const auto length = first_character(text_.substr(i)).length;
      if (length == 0) return refuse("no valid UTF-8");
      i += length;
      continue;
    }
    const bool ends_line = c == '\n' || (c == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n');
    if ((c < 0x20 && c != '\t' && !ends_line) || c == 0x7f) return refuse("a control character");
    line += c == '\n';
    ++i;
  }
}

void TomlText::fail(std::string_view message, ErrorCode code) {
  if (!fault_) fault_ = Error{code, fmt::format("line {}: {}", line_, message)};
  at_ = text_.size();
}

bool TomlText::take(char c) {
  if (at_end() || here() != c) return false;
  line_ += c == '\n';
  ++at_;
  return true;
}

bool TomlText::take(std::string_view word) {
  if (!is_word_ahead(word)) return false;
  at_ += word.size();
  return true;
}

std::string_view TomlText::take_while(bool (*belongs)(char)) {
  const auto begin = at_;
  while (!at_end() && belongs(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

void TomlText::skip_blanks() { take_while(is_blank); }

void TomlText::skip_blanks_and_lines() {
  for (;;) {
    skip_blanks();
    if (here() == '#') take_while(is_of_line);
    take('\r');
    if (!take('\n')) return;
  }
}

void TomlText::end_line() {
  skip_blanks();
  if (here() == '#') take_while(is_of_line);
  take('\r');
  if (!at_end() && !take('\n')) fail("something stands behind the end of a value or table header");
}

std::string TomlText::key() {
  if (here() == '"' || here() == '\'') {
    if (is_word_ahead("\"\"\"") || is_word_ahead("'''")) fail("a key cannot be a text of several lines");
    return quoted();
  }
  const auto name = take_while(is_of_bare_key);
  if (name.empty()) fail(at_end() || here() == '\n' || here() == '\r' ? "a key is missing" : "no key begins like this");
  return std::string(name);
}

std::string TomlText::quoted() {
  const char quote = here();
  const auto three = std::string(3, quote);
  if (!take(three)) {
    take(quote);
    return until_quote(quote, false);
  }
  take('\r');
  take('\n');  // right behind the quotes it does not count
  return until_quote(quote, true);
}

std::string TomlText::until_quote(char quote, bool several_lines) {
  const auto three = std::string(3, quote);
  std::string text;
  while (!at_end()) {
    const char c = here();
    if (c == quote && !several_lines) {
      take(c);
      return text;
    }
    if (c == quote && take(three)) {
      // Up to two quotes may stand right before the three that end it.
      for (int i = 0; i < 2 && take(quote); ++i) text += quote;
      return text;
    }
    if ((c == '\n' || c == '\r') && !several_lines) break;
    take(c);
    if (c == '\\' && quote == '"')
      escape(text, several_lines);
    else
      text += c;
  }
  fail("a text in quotes does not end");
  return text;
}

/// What stands behind a backslash.
void TomlText::escape(std::string& into, bool several_lines) {
  const char c = here();
  constexpr std::string_view letters = "btnfre\"\\", meanings = "\b\t\n\f\r\x1b\"\\";
  if (several_lines && (is_blank(c) || c == '\n' || c == '\r')) {
    const auto line = line_;
    while (is_blank(here()) || here() == '\n' || here() == '\r') take(here());
    if (line_ == line) fail("a backslash before blanks");
    return;
  }
  take(c);
  if (const auto at = letters.find(c); c != '\0' && at != std::string_view::npos) {
    into += meanings[at];
  } else if (c == 'x') {
    code_point(into, 2);
  } else if (c == 'u') {
    code_point(into, 4);
  } else if (c == 'U') {
    code_point(into, 8);
  } else {
    fail("an unknown escape behind a backslash");
  }
}

void TomlText::code_point(std::string& into, std::size_t digits) {
  const auto word = text_.substr(at_, digits);
  std::uint32_t code = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), code, 16);
  const bool good = word.size() == digits && read.ec == std::errc() && read.ptr == word.data() + word.size();
  if (!good || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return fail("an escape of no character");
  at_ += digits;
  append_utf8(into, code);
}

std::string TomlText::plain_value() {
  if (at_end() || here() == '\n' || here() == '\r' || here() == '#') {
    fail("a value is missing");
    return "";
  }
  const auto word = take_while(is_of_plain_value);
  if (word == "true" || word == "false") return std::string(word);
  constexpr std::size_t day = 10;
  if (is_day(word.substr(0, day))) {
    // The time of the day may stand behind a blank.
    const bool apart = word.size() == day && here() == ' ' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (apart) take(' ');
    const auto time = apart ? take_while(is_of_plain_value) : word.substr(std::min(word.size(), day + 1));
    const bool joined = apart || word.size() == day || word[day] == 'T' || word[day] == 't';
    if ((word.size() == day && !apart) || (joined && is_time_of_day(time))) return std::string(word.substr(0, day));
  } else if (is_time(word)) {
    return "";
  } else if (const auto number = without_underscores(word)) {
    if (const auto whole = whole_number(*number)) return *whole;
    if (const auto real = real_number(*number)) return *real;
  }
  fail("no value begins like this");
  return "";
}

}  // namespace cudald

// Numbers and strings of the grammar. Sources: CPython Doc/reference/lexical_analysis.rst; Parser/string_parser.c;
// Parser/lexer/lexer.c; PEP 701 for f-strings.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/utf8.h"
#include "pyimport/syntax/grammar.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {
namespace {

bool is_digit_of(char c, int base) {
  if (base == 16) return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  return c >= '0' && c < '0' + base;
}

/// Behind digits with single underscores between them; the same place if there are none.
std::size_t digits(std::string_view text, std::size_t at, int base, bool leading_underscore = false) {
  auto end = at;
  if (leading_underscore && end + 1 < text.size() && text[end] == '_' && is_digit_of(text[end + 1], base)) ++end;
  while (end < text.size() && is_digit_of(text[end], base)) {
    ++end;
    if (end + 1 < text.size() && text[end] == '_' && is_digit_of(text[end + 1], base)) ++end;
  }
  return end;
}

/// Whether a string may begin so: in either case, and either order.
bool is_known_prefix(std::string prefix) {
  for (auto& c : prefix) c = static_cast<char>(c | 0x20);
  std::sort(prefix.begin(), prefix.end());
  for (const auto* known : {"r", "u", "b", "f", "br", "fr", "t", "rt"})
    if (prefix == known) return true;
  return false;
}

/// A word that may follow a number without a blank.
bool is_word_behind_number(std::string_view rest) {
  for (const std::string_view word : {"and", "else", "for", "if", "in", "is", "not", "or"})
    if (rest.starts_with(word)) return true;
  return false;
}

}  // namespace

/// Of what the scanner takes for a number, the part that is one.
std::size_t Grammar::number_size(std::string_view written) {
  const char second = written.size() > 1 ? static_cast<char>(written[1] | 0x20) : '\0';
  if (written[0] == '0' && (second == 'x' || second == 'o' || second == 'b'))
    return digits(written, 2, second == 'x' ? 16 : second == 'o' ? 8 : 2, true);
  auto at = digits(written, 0, 10);
  if (written.substr(at, 1) == ".") at = digits(written, at + 1, 10);
  if (at < written.size() && (written[at] == 'e' || written[at] == 'E')) {
    const auto sign = written.substr(at + 1, 1);
    const auto exponent = at + (sign == "+" || sign == "-" ? 2 : 1), end = digits(written, exponent, 10);
    if (end > exponent) at = end;
  }
  return at < written.size() && (written[at] == 'j' || written[at] == 'J') ? at + 1 : at;
}

/// `1if x else 2` and `1.0.hex()`: what follows a number without a blank becomes tokens of their own.
void Grammar::split_numbers() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::number) continue;
    const auto written = text(tokens_[i]);
    const auto size = number_size(written);
    const auto rest = written.substr(size);
    const bool is_whole = size == digits(written, 0, 10);  // behind which a dot is part of the number
    if (rest.empty() || !(is_word_behind_number(rest) || (!is_whole && rest[0] == '.'))) continue;
    const auto begin = tokens_[i].begin + size;
    bool complete = true;
    auto more = scan(text_, {begin, begin + rest.size(), tokens_[i].line, true}, budget_, complete);
    if (!complete || more.empty()) throw Unsure{};
    more.pop_back();  // the end of the line
    tokens_[i].size = static_cast<std::uint32_t>(size);
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 1, more.begin(), more.end());
  }
}

void Grammar::number(const Token& token) const {
  const auto written = text(token);
  const char second = written.size() > 1 ? static_cast<char>(written[1] | 0x20) : '\0';
  if (minor_ < 6 && written.find('_') != std::string_view::npos) refuse(token, "invalid syntax", 6);
  const auto size = number_size(written);
  if (written[0] == '0' && (second == 'x' || second == 'o' || second == 'b')) {
    const auto* name = second == 'x' ? "hexadecimal" : second == 'o' ? "octal" : "binary";
    if (size == written.size() && size > 2) return;
    if (minor_ < 8) refuse(token);
    if (size < written.size() && std::isdigit(static_cast<unsigned char>(written[size])))
      refuse(token, fmt::format("invalid digit '{}' in {} literal", written[size], name));
    refuse(token, fmt::format("invalid {} literal", name));
  }
  if (size < written.size()) refuse(token, minor_ < 9 ? "invalid syntax" : "invalid decimal literal");
  const auto is_zero = [](char c) { return c == '0' || c == '_'; };
  const bool is_integer = digits(written, 0, 10) == size;
  if (is_integer && size > 1 && written[0] == '0' && !std::all_of(written.begin(), written.end(), is_zero))
    refuse(token, minor_ < 8
                      ? "invalid token"
                      : "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal "
                        "integers");
}

/// Adjacent literals.
void Grammar::strings() {
  enum { none, letters, bytes } kind = none;
  for (; is(TokenKind::string); ++at_) {
    const auto one = token();
    const auto written = text(one);
    const auto quote = written.find_first_of("'\"");
    if (quote != 0 && !is_known_prefix(std::string(written.substr(0, quote)))) refuse(one);
    const bool triple = written.substr(quote, 3) == std::string(3, written[quote]);
    const auto closed = written.substr(quote);
    const std::size_t quotes = triple ? 3 : 1;
    const bool is_closed = closed.size() >= 2 * quotes && closed.ends_with(closed.substr(0, quotes));
    const auto literal = open_literal(written);
    // A quote behind an odd number of backslashes ends nothing.
    std::size_t slashes = 0;
    while (is_closed && slashes < literal.inside.size() && literal.inside[literal.inside.size() - 1 - slashes] == '\\')
      ++slashes;
    const auto line_end = literal.formatted && !triple ? written.find('\n') : std::string_view::npos;
    const bool runs_on = minor_ < 12 && line_end != std::string_view::npos && written[line_end - 1] != '\\' &&
                         written[line_end - 1] != '\r';
    if (!is_closed || slashes % 2 != 0 || runs_on) {
      const auto last_line = one.line + static_cast<std::uint32_t>(std::count(written.begin(), written.end(), '\n'));
      if (triple)
        refuse(one, minor_ < 10
                        ? "EOF while scanning triple-quoted string literal"
                        : fmt::format("unterminated triple-quoted string literal (detected at line {})", last_line));
      refuse(one, minor_ < 10 ? "EOL while scanning string literal"
                              : fmt::format("unterminated string literal (detected at line {})", last_line));
    }
    if (literal.templated) needs(14, one);
    if (literal.formatted) needs(6, one);
    const auto this_kind = literal.bytes ? bytes : letters;
    if (kind != none && kind != this_kind) refuse(one, "cannot mix bytes and nonbytes literals");
    kind = this_kind;
    if (literal.formatted)
      formatted({literal.inside, literal.raw, triple, written[quote], one});
    else if (!literal.raw)
      check_escapes(literal.inside, literal.bytes, true, one);
    if (literal.bytes && !is_ascii(written))
      refuse(one, minor_ < 10 ? "bytes can only contain ASCII literal characters."
                              : "bytes can only contain ASCII literal characters");
  }
}

/// Escapes that have not the digits they need.
void Grammar::check_escapes(std::string_view inside, bool bytes, bool whole, const Token& token) const {
  for (auto at = inside.find('\\'); at < inside.size(); at = inside.find('\\', at)) {
    const char c = at + 1 < inside.size() ? inside[at + 1] : '\0';
    const std::size_t needed = c == 'x' ? 2 : bytes ? 0 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    std::size_t there = 0;
    while (there < needed && at + 2 + there < inside.size() && is_digit_of(inside[at + 2 + there], 16)) ++there;
    const bool is_plain =
        whole && std::all_of(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(at),
                             [](char one) { return one != '\\' && static_cast<signed char>(one) >= 0; });
    if (there < needed && bytes) refuse(token, fmt::format("(value error) invalid \\x escape at position {}", at));
    const auto fault = [&](std::string_view what, std::size_t end) {
      // The place is counted in what the letters before it have become.
      refuse(token, is_plain
                        ? fmt::format("(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: {}",
                                      at, end, what)
                        : "");
    };
    if (there < needed)
      fault(c == 'x'   ? "truncated \\xXX escape"
            : c == 'u' ? "truncated \\uXXXX escape"
                       : "truncated \\UXXXXXXXX escape",
            at + 1 + there);
    if (needed == 8 && inside.substr(at + 2, 8) > "0010ffff" && inside.substr(at + 2, 3) != "000" &&
        (inside.substr(at + 2, 4) != "0010"))
      fault("illegal Unicode character", at + 9);
    if (!bytes && c == 'N') {
      const auto close = inside.find('}', at);
      if (inside.substr(at + 2, 1) != "{" || close == std::string_view::npos || close == at + 3) refuse(token, "");
    }
    at += 2;
  }
}

/// Text, and fields in braces.
void Grammar::formatted(const Formatted& all) {
  const auto inside = all.inside;
  std::string plain;
  for (std::size_t at = 0; at < inside.size();) {
    const char c = inside[at];
    const auto next = inside.substr(at + 1, 1);
    if (c == '\\' && !all.raw && inside.substr(at, 3) == "\\N{") {
      const auto close = inside.find('}', at);
      if (close == std::string_view::npos) refuse(all.token, "");
      at = close + 1;
    } else if (c == '\\' && !all.raw && !next.empty() && next != "{" && next != "}") {
      plain.append(inside.substr(at, 2));
      at += 2;
    } else if ((c == '{' || c == '}') && next == inside.substr(at, 1)) {
      at += 2;
    } else if (c == '}') {
      refuse(all.token, "f-string: single '}' is not allowed");
    } else if (c == '{') {
      at = replacement_field(all, at + 1, 0);
    } else {
      plain += c;
      ++at;
    }
  }
  if (!all.raw) check_escapes(plain, false, false, all.token);
}

/// From behind the opening brace of a field to behind its closing one.
std::size_t Grammar::replacement_field(const Formatted& all, std::size_t begin, int depth) {
  constexpr int most = 4;
  if (depth > most) throw Unsure{};
  const auto inside = all.inside;
  auto at = end_of_field_expression(all, begin);
  auto expression = inside.substr(begin, at - begin);
  // `x=`, but no comparison
  const auto last = expression.find_last_not_of(" \t\n");
  if (last != std::string_view::npos && last > 0 && expression[last] == '=' &&
      std::string_view("=!<>").find(expression[last - 1]) == std::string_view::npos) {
    needs(8, all.token);
    expression = expression.substr(0, last);
  }
  field_expression(all, expression);
  if (inside[at] == '!') {
    const auto close = std::min(inside.find_first_of(":}", at), inside.size());
    auto name = inside.substr(at + 1, close - at - 1);
    if (minor_ >= 12) name = name.substr(0, name.find_last_not_of(" \t\n") + 1);
    if (name != "r" && name != "s" && name != "a") {
      const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), is_name_part);
      refuse(all.token,
             minor_ < 12 || !is_word
                 ? ""
                 : fmt::format("f-string: invalid conversion character '{}': expected 's', 'r', or 'a'", name));
    }
    at = close;
  }
  if (inside.substr(at, 1) == ":")
    for (++at; at < inside.size() && inside[at] != '}';)
      at = inside[at] == '{' ? replacement_field(all, at + 1, depth + 1) : at + 1;
  if (inside.substr(at, 1) != "}") refuse(all.token, "f-string: expecting '}'");
  return at + 1;
}

/// Where the expression of a field ends: at its conversion, its format or its brace.
std::size_t Grammar::end_of_field_expression(const Formatted& all, std::size_t begin) const {
  constexpr int own_quotes = 12;  // PEP 701, and with it backslashes and comments
  const auto inside = all.inside;
  std::string open;
  auto at = begin;
  for (; at < inside.size(); ++at) {
    const char c = inside[at];
    if (c == '\'' || c == '"') {
      const std::size_t quotes = inside.substr(at, 3) == std::string(3, c) ? 3 : 1;
      auto end = at + quotes;
      while (end < inside.size() && inside.substr(end, quotes) != std::string(quotes, c))
        end += inside[end] == '\\' ? 2 : 1;
      if (end >= inside.size()) throw Unsure{};  // it may be that the scanner took the string for a shorter one
      if (minor_ < own_quotes && inside.substr(at, end - at).find('\\') != std::string_view::npos)
        refuse(all.token, "f-string expression part cannot include a backslash", own_quotes);
      at = end + quotes - 1;
      if (minor_ >= own_quotes || c != all.quote || (all.triple && quotes == 1)) continue;
      refuse(all.token, open.empty() ? "f-string: expecting '}'" : fmt::format("f-string: unmatched '{}'", open.back()),
             own_quotes);
    }
    if (c == '\\' || c == '#') {
      if (minor_ >= own_quotes) throw Unsure{};
      refuse(all.token, fmt::format("f-string expression part cannot include {}", c == '#' ? "'#'" : "a backslash"),
             own_quotes);
    }
    if (c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (!open.empty()) {
      if (c != ')' && c != ']' && c != '}') continue;
      if ((c == ')') != (open.back() == '(') || (c == ']') != (open.back() == '[')) refuse(all.token, "");
      open.pop_back();
    } else if (c == ')' || c == ']') {
      refuse(all.token, fmt::format("f-string: unmatched '{}'", c));
    } else if (inside.substr(at, 2) == "!=") {
      ++at;
    } else if (c == '}' || c == ':' || c == '!') {
      return at;
    }
  }
  refuse(all.token, "f-string: expecting '}'");
}

void Grammar::field_expression(const Formatted& all, std::string_view expression) {
  if (expression.find_first_not_of(" \t\n\r\f") == std::string_view::npos)
    refuse(all.token, minor_ < 12 ? "f-string: empty expression not allowed" : "");
  const auto begin = static_cast<std::size_t>(expression.data() - text_.data());
  bool complete = true;
  auto inner = scan(text_, {begin, begin + expression.size(), all.token.line, true}, budget_, complete);
  if (!complete) throw Unsure{};
  std::swap(inner, tokens_);
  const auto here = std::exchange(at_, 0);
  check_signs();
  split_numbers();
  if (is(Word::yield))
    yield();
  else
    expressions();
  if (!ends() && !is(TokenKind::line_end))
    refuse(all.token, minor_ < 9 ? "invalid syntax" : "f-string: invalid syntax");
  std::swap(inner, tokens_);
  at_ = here;
}

}  // namespace cudald::python

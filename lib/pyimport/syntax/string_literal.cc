#include "pyimport/syntax/string_literal.h"

#include <cctype>
#include <cstdint>

namespace cudald::python {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 7));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// The code point of at most `most` digits behind `i`, which is moved to the last of them.
std::uint32_t code_point(std::string_view text, std::size_t& i, std::size_t most, std::uint32_t base) {
  std::uint32_t code = 0;
  for (std::size_t n = 0; n < most && i + 1 < text.size(); ++n) {
    const char d = text[i + 1];
    if (!std::isxdigit(static_cast<unsigned char>(d))) break;
    const auto digit =
        static_cast<std::uint32_t>(std::isdigit(static_cast<unsigned char>(d)) ? d - '0' : (d | 0x20) - 'a' + 10);
    if (digit >= base) break;
    code = code * base + digit;
    ++i;
  }
  return code;
}

}  // namespace

StringLiteral open_literal(std::string_view literal) {
  StringLiteral result;
  const auto quote_at = literal.find_first_of("'\"");
  if (quote_at == std::string_view::npos) return result;
  const auto prefix = literal.substr(0, quote_at);
  result.raw = prefix.find_first_of("rR") != std::string_view::npos;
  result.bytes = prefix.find_first_of("bB") != std::string_view::npos;
  result.templated = prefix.find_first_of("tT") != std::string_view::npos;
  result.formatted = result.templated || prefix.find_first_of("fF") != std::string_view::npos;
  const char quote = literal[quote_at];
  literal.remove_prefix(quote_at);
  const bool triple = literal.size() >= 6 && literal[1] == quote && literal[2] == quote;
  const std::size_t quotes = triple ? 3 : 1;
  if (literal.size() >= 2 * quotes && literal.back() == quote)
    result.inside = literal.substr(quotes, literal.size() - 2 * quotes);
  return result;
}

/// Source: CPython 3.11 Doc/reference/lexical_analysis.rst, escape sequences; \N{NAME} stays as it is written.
std::string unescaped(std::string_view inside, bool raw) {
  if (raw || inside.find('\\') == std::string_view::npos) return std::string(inside);
  std::string value;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      value += inside[i];
      continue;
    }
    switch (const char c = inside[++i]) {
      case 'x': append_utf8(value, code_point(inside, i, 2, 16)); break;
      case 'u': append_utf8(value, code_point(inside, i, 4, 16)); break;
      case 'U': append_utf8(value, code_point(inside, i, 8, 16)); break;
      case 'a': value += '\a'; break;
      case 'b': value += '\b'; break;
      case 'f': value += '\f'; break;
      case 'v': value += '\v'; break;
      case 'n': value += '\n'; break;
      case 't': value += '\t'; break;
      case 'r': value += '\r'; break;
      case '\n': break;
      case '\\':
      case '\'':
      case '"': value += c; break;
      default:
        if (c >= '0' && c <= '7')
          append_utf8(value, code_point(inside, --i, 3, 8));
        else
          (value += '\\') += c;
    }
  }
  return value;
}

}  // namespace cudald::python

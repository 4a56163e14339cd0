#pragma once

#include <string>
#include <string_view>

namespace cudald::python {

/// A string literal as it is written, taken apart.
struct StringLiteral {
  std::string_view inside;  ///< between the quotes
  bool raw = false;         ///< r"": a backslash is one
  bool bytes = false;       ///< b""
  bool formatted = false;   ///< f"" or t"": braces hold expressions
  bool templated = false;   ///< t"", whose value is no text
};

/// Takes off prefix and quotes. A literal that does not end has nothing inside.
StringLiteral open_literal(std::string_view literal);

/// What the text between the quotes stands for, its escapes resolved unless it is raw.
std::string unescaped(std::string_view inside, bool raw);

}  // namespace cudald::python

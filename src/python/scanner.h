#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace cudald::python {

enum class TokenKind : std::uint8_t { name, number, string, symbol, line_end, indent, dedent };

struct Token {
  std::uint32_t begin = 0, size = 0;  ///< bytes of the source text
  std::uint32_t line = 0;
  TokenKind kind = TokenKind::line_end;
};

/// What a logical line begins with, as far as imports depend upon it.
enum class StatementKind : std::uint8_t {
  simple,  ///< an expression or an assignment
  import_names,
  from_import,
  cimport,
  return_,
  raise_,
  break_,
  continue_,
  pass_,
  delete_,
  global,
  if_,
  elif_,
  else_,
  while_,
  for_,
  try_,
  except_,
  finally_,
  with_,
  class_,
  function,
  decorator,
  match,
  case_,
};

/// One statement, or one clause of a compound statement: `if`, `elif` and `else` follow each other as siblings.
struct Statement {
  StatementKind kind = StatementKind::simple;
  bool has_body = false;
  bool asynchronous = false;
  std::uint32_t line = 0;
  std::span<const Token> head;  ///< without the first word where `kind` says it, and without the colon
  std::vector<Statement> body;
};

/// A Python source file cut into statements. It never fails: what it cannot understand becomes a simple statement.
/// Cython's `cdef` and `cimport` are understood as far as they import anything.
class Source {
 public:
  /// The text and what it is cut into are charged to the budget. Where that, or the number of tokens that a source may
  /// have, does not allow for more, the rest is left out, and `complete` says so.
  static std::shared_ptr<const Source> parse(std::string path, std::string text, Budget&);

  const std::string path;
  std::string_view text() const { return text_; }
  std::string_view text(const Token& token) const { return std::string_view(text_).substr(token.begin, token.size); }
  std::span<const Token> tokens() const { return tokens_; }
  const std::vector<Statement>& statements() const { return statements_; }
  bool complete() const { return complete_; }
  /// Whether this word occurs as a name; a cheap question asked before dearer ones.
  bool mentions(std::string_view word) const { return first_mention(word).has_value(); }
  /// The line of the first one.
  std::optional<std::uint32_t> first_mention(std::string_view word) const;

 private:
  Source(std::string path, std::string text, Budget&);

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<Statement> statements_;
  bool complete_ = true;
};

/// The tokens of a text, those of its beginning if there are too many. Indentation is compared as Python does, with a
/// tab going to the next column of eight.
std::vector<Token> scan(std::string_view text, Budget&, bool& complete);

/// The value of a string literal without its prefix and quotes, escapes resolved.
/// `formatted` says that it is an f-string, whose braces still stand.
std::string string_value(std::string_view literal, bool& formatted);

}  // namespace cudald::python

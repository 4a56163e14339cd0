#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace cudald::python {

enum class TokenKind : std::uint8_t { name, number, string, symbol, line_end, indent, dedent };

/// Keywords, soft ones among them, and signs.
enum class Word : std::uint8_t {
  none,
  and_,
  as,
  assert_,
  async,
  await,
  break_,
  case_,
  cdef,
  cimport,
  class_,
  continue_,
  cpdef,
  ctypedef,
  def,
  del,
  elif,
  else_,
  except,
  false_,
  finally,
  for_,
  from,
  global,
  if_,
  import,
  in,
  include,
  is,
  lambda,
  match,
  none_,
  nonlocal,
  not_,
  or_,
  pass,
  raise,
  return_,
  true_,
  try_,
  type,
  while_,
  with,
  yield,
  open_round,
  close_round,
  open_square,
  close_square,
  open_curly,
  close_curly,
  comma,
  colon,
  semicolon,
  dot,
  dots,
  equals,
  becomes,
  arrow,
  at,
  exclamation,
  star,
  stars,
  plus,
  minus,
  slash,
  slashes,
  percent,
  tilde,
  pipe,
  caret,
  ampersand,
  left_shift,
  right_shift,
  equal,
  unequal,
  less,
  greater,
  at_most,
  at_least,
  augmented,
  not_in,
  is_not,
};

struct Token {
  std::uint32_t begin = 0, size = 0;  ///< bytes of the source text
  std::uint32_t line = 0;
  TokenKind kind = TokenKind::line_end;
  Word word = Word::none;  ///< `augmented`: "+=" and its like
};

/// A part of a source text to be scanned.
struct Excerpt {
  std::size_t begin = 0, end = 0;
  std::uint32_t line = 1;     ///< in which it begins
  bool in_brackets = false;   ///< as if it stood in brackets: lines do not end, and indentation does not count
  bool skips_bodies = false;  ///< of the bodies of functions only indents and dedents are tokens
};

/// The tokens of a part of a text, those of its beginning if there are too many or the budget does not allow for more.
/// `complete` says which. Indentation is compared as Python does, with a tab going to the next column of eight. They
/// take the place of those in `room`.
std::vector<Token> scan(std::string_view text, const Excerpt&, Budget&, bool& complete, std::vector<Token> room = {});

inline bool opens(Word word) {
  return word == Word::open_round || word == Word::open_square || word == Word::open_curly;
}
inline bool closes(Word word) {
  return word == Word::close_round || word == Word::close_square || word == Word::close_curly;
}
bool is_name_part(char c);

}  // namespace cudald::python

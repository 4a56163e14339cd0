// Patterns of `case`. Source: PEP 634; CPython Grammar/python.gram, from patterns to keyword_pattern.
#include "pyimport/syntax/grammar.h"

namespace cudald::python {

/// One, or a sequence of them without brackets.
void Grammar::patterns() {
  const auto begin = at_;
  do {
    if (is(Word::colon) || is(Word::if_)) break;
    if (accept(Word::star))
      expect_name();
    else
      pattern();
  } while (accept(Word::comma));
  if (at_ == begin) refuse(token());
}

/// `closed | closed as name`
void Grammar::pattern() {
  const Nested nested(*this);
  do closed_pattern();
  while (accept(Word::pipe));
  if (accept(Word::as)) expect_name();
}

void Grammar::closed_pattern() {
  const auto& here = token();
  switch (here.word) {
    case Word::open_round: ++at_; return pattern_sequence(Word::close_round);
    case Word::open_square: ++at_; return pattern_sequence(Word::close_square);
    case Word::open_curly: ++at_; return pattern_mapping();
    case Word::none_:
    case Word::true_:
    case Word::false_: ++at_; return;
    default: break;
  }
  if (is(TokenKind::string)) return strings();
  if (is(TokenKind::number) || is(Word::minus)) return pattern_number();
  expect_name();
  while (accept(Word::dot)) expect_name();
  if (accept(Word::open_round)) pattern_arguments();
}

/// `-1`, `1 + 2j`
void Grammar::pattern_number() {
  accept(Word::minus);
  if (!is(TokenKind::number)) refuse(token());
  number(token());
  ++at_;
  if (!is(Word::plus) && !is(Word::minus)) return;
  ++at_;
  if (!is(TokenKind::number)) refuse(token());
  number(token());
  ++at_;
}

void Grammar::pattern_sequence(Word close) {
  while (!is(close)) {
    if (accept(Word::star))
      expect_name();
    else
      pattern();
    if (!accept(Word::comma)) break;
  }
  expect(close);
}

void Grammar::pattern_mapping() {
  while (!is(Word::close_curly)) {
    if (accept(Word::stars)) {
      expect_name();
    } else {
      closed_pattern();
      expect(Word::colon);
      pattern();
    }
    if (!accept(Word::comma)) break;
  }
  expect(Word::close_curly);
}

void Grammar::pattern_arguments() {
  while (!is(Word::close_round)) {
    if (is_name() && token(1).word == Word::equals) at_ += 2;
    pattern();
    if (!accept(Word::comma)) break;
  }
  expect(Word::close_round);
}

}  // namespace cudald::python

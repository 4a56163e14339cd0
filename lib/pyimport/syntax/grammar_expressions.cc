// Expressions of the grammar. Source: CPython Grammar/python.gram, from star_expressions to kwargs.
#include <algorithm>

#include <fmt/format.h>

#include "base/at_end.h"
#include "pyimport/syntax/grammar.h"

namespace cudald::python {

bool Grammar::begins_expression() const {
  const auto& next = token();
  switch (next.kind) {
    case TokenKind::string:
    case TokenKind::number: return true;
    case TokenKind::name:
      if (!is_keyword(next)) return true;
      switch (next.word) {
        case Word::none_:
        case Word::true_:
        case Word::false_:
        case Word::not_:
        case Word::lambda:
        case Word::await: return true;
        default: return false;
      }
    case TokenKind::symbol:
      switch (next.word) {
        case Word::open_round:
        case Word::open_square:
        case Word::open_curly:
        case Word::dots:
        case Word::plus:
        case Word::minus:
        case Word::tilde: return true;
        default: return false;
      }
    default: return false;
  }
}

void Grammar::Elements::add(const Shape& one) {
  stars += one.kind == Shape::starred ? 1 : 0;
  all.can_be_assigned = all.can_be_assigned && one.kind != Shape::value && one.can_be_assigned && stars <= 1;
  all.holds_star = stars > 0;
  if (count++ == 0) first = one;
}

/// One or more with commas between them: a tuple, which may hold starred ones.
Grammar::Shape Grammar::expressions() {
  Elements elements;
  do {
    if (elements.count > 0 && !begins_expression() && !is(Word::star)) break;
    elements.add(is(Word::star) ? starred() : expression());
    elements.comma = accept(Word::comma);
  } while (elements.comma);
  return elements.together();
}

/// `name := expression` too.
Grammar::Shape Grammar::named_expression() {
  if (!is_name() || token(1).word != Word::becomes) {
    const auto from = token();
    const auto shape = expression();
    if (is(Word::becomes)) refuse(from);
    return shape;
  }
  needs(8, token(1));
  at_ += 2;
  expression();
  return {};
}

Grammar::Shape Grammar::starred() {
  expect(Word::star);
  auto shape = operation();
  shape.kind = Shape::starred;
  return shape;
}

Grammar::Shape Grammar::starred_or_named() { return is(Word::star) ? starred() : named_expression(); }

Grammar::Shape Grammar::expression() {
  const Nested nested(*this);
  if (is(Word::lambda)) return lambda(), Shape{};
  const auto shape = disjunction();
  if (!accept(Word::if_)) return shape;
  disjunction();
  if (!is(Word::else_)) refuse(token(), minor_ < 10 ? "invalid syntax" : "expected 'else' after 'if' expression");
  ++at_;
  expression();
  return {};
}

/// Operands of `and` and `or`, each with any number of `not` before it.
Grammar::Shape Grammar::disjunction() {
  Shape shape;
  bool plain = true;
  for (;;) {
    while (accept(Word::not_)) plain = false;
    shape = comparison();
    if (!accept(Word::and_) && !accept(Word::or_)) return plain ? shape : Shape{};
    plain = false;
  }
}

bool Grammar::comparison_sign() {
  switch (token().word) {
    case Word::equal:
    case Word::unequal:
    case Word::less:
    case Word::greater:
    case Word::at_most:
    case Word::at_least:
    case Word::in: ++at_; return true;
    case Word::is:
      ++at_;
      accept(Word::not_);
      return true;
    case Word::not_:
      if (token(1).word != Word::in) return false;
      at_ += 2;
      return true;
    default: return false;
  }
}

Grammar::Shape Grammar::comparison() {
  auto shape = operation();
  while (comparison_sign()) operation(), shape = {};
  return shape;
}

Grammar::Shape Grammar::operation() {
  auto shape = unary();
  for (;;) {
    switch (token().word) {
      case Word::pipe:
      case Word::caret:
      case Word::ampersand:
      case Word::left_shift:
      case Word::right_shift:
      case Word::plus:
      case Word::minus:
      case Word::star:
      case Word::slash:
      case Word::slashes:
      case Word::percent:
      case Word::at:
        ++at_;
        unary();
        shape = {};
        break;
      default: return shape;
    }
  }
}

Grammar::Shape Grammar::unary() {
  bool plain = true;
  for (; is(Word::minus) || is(Word::plus) || is(Word::tilde); ++at_) plain = false;
  const bool awaits = is(Word::await) && (minor_ >= 7 || (function_scope() != nullptr && function_scope()->is_async));
  if (awaits) {
    const auto from = token();
    const auto* scope = function_scope();
    const bool in_lambda =
        std::any_of(scopes_.begin(), scopes_.end(), [](auto& one) { return one.kind == Scope::lambda; });
    if (scope == nullptr && !in_lambda) refuse(from, "'await' outside function");
    if (scope == nullptr || !scope->is_async) {
      if (scope != nullptr && scope->kind == Scope::function) refuse(from, "'await' outside async function");
      throw Unsure{};
    }
    ++at_;
    plain = false;
  }
  auto shape = primary();
  if (accept(Word::stars)) {
    const Nested nested(*this);
    unary();
    plain = false;
  }
  return plain ? shape : Shape{};
}

/// What `await` and `yield` belong to: nullptr at the top of a module or class.
Grammar::Scope* Grammar::function_scope() {
  auto& last = scopes_.back();
  return last.kind == Scope::function || last.kind == Scope::lambda ? &last : nullptr;
}

Grammar::Shape Grammar::primary() {
  auto shape = atom();
  for (;;) {
    if (accept(Word::dot)) {
      expect_name();
      shape = {Shape::place, false, true, false};
    } else if (accept(Word::open_round)) {
      arguments();
      expect(Word::close_round);
      shape = {};
    } else if (accept(Word::open_square)) {
      subscript();
      shape = {Shape::place, false, true, false};
    } else {
      return shape;
    }
  }
}

Grammar::Shape Grammar::atom() {
  const auto& here = token();
  switch (here.kind) {
    case TokenKind::string: return strings(), Shape{};
    case TokenKind::number:
      number(here);
      ++at_;
      return {};
    case TokenKind::name: {
      if (!is_keyword(here)) {
        const bool is_debug = text(here) == "__debug__";
        ++at_;
        return {Shape::name, false, !is_debug, false};
      }
      if (here.word != Word::none_ && here.word != Word::true_ && here.word != Word::false_) refuse(here);
      ++at_;
      return {};
    }
    case TokenKind::symbol:
      switch (here.word) {
        case Word::dots: ++at_; return {};
        case Word::open_round: return round_brackets();
        case Word::open_square: return square_brackets();
        case Word::open_curly: return curly_brackets(), Shape{};
        default: refuse(here);
      }
    default: refuse(here);
  }
}

/// Behind an opening bracket that is not of a call, to behind the one that closes it.
Grammar::Elements Grammar::elements(Word close) {
  const auto open = tokens_[at_ - 1];
  Elements elements;
  while (!is(close)) {
    const auto one = starred_or_named();
    if (begins_clause()) {
      if (one.kind == Shape::starred) needs(15, open);
      if (elements.count > 0) refuse(token());
      clauses();
      elements.comprehends = true;
      break;
    }
    elements.add(one);
    elements.comma = accept(Word::comma);
    if (!elements.comma) break;
  }
  expect(close);
  elements.all.in_brackets = true;
  return elements;
}

Grammar::Shape Grammar::round_brackets() {
  const Nested nested(*this);
  const auto open = token();
  ++at_;
  if (is(Word::yield)) {
    yield();
    expect(Word::close_round);
    return {};
  }
  const auto inside = elements(Word::close_round);
  if (inside.comprehends) return {};
  auto shape = inside.together();
  if (shape.kind == Shape::starred)
    refuse(open, minor_ < 10 ? "can't use starred expression here" : "cannot use starred expression here");
  shape.in_brackets = true;
  return shape;
}

Grammar::Shape Grammar::square_brackets() {
  const Nested nested(*this);
  ++at_;
  const auto inside = elements(Word::close_square);
  return inside.comprehends ? Shape{} : inside.all;
}

/// A dictionary or a set: its first element says which.
void Grammar::curly_brackets() {
  const Nested nested(*this);
  ++at_;
  enum { open, set, dict } kind = open;
  for (std::size_t count = 0; !is(Word::close_curly); ++count) {
    const auto from = token();
    if (accept(Word::stars)) {
      if (kind == set) refuse(from);
      kind = dict;
      operation();
      if (begins_clause()) needs(15, from);
    } else {
      const auto one = kind == dict ? expression() : starred_or_named();
      if (kind == dict || (kind == open && one.kind != Shape::starred && is(Word::colon))) {
        if (!is(Word::colon)) refuse(token(), minor_ < 10 ? "invalid syntax" : "':' expected after dictionary key");
        ++at_;
        if (minor_ >= 10 && (is(Word::close_curly) || is(Word::comma)))
          refuse(tokens_[at_ - 1], "expression expected after dictionary key and ':'");
        kind = dict;
        expression();
      } else {
        if (one.kind == Shape::starred && begins_clause()) needs(15, from);
        kind = set;
      }
    }
    if (begins_clause()) {
      if (count > 0) refuse(token());
      clauses();
      break;
    }
    if (!accept(Word::comma)) break;
  }
  expect(Word::close_curly);
}

bool Grammar::begins_clause() const { return is(Word::for_) || (is(Word::async) && token(1).word == Word::for_); }

/// `for target in iterable if condition ...`
void Grammar::clauses() {
  while (begins_clause()) {
    if (is(Word::async)) {
      if (const auto* scope = function_scope(); scope != nullptr && !scope->is_async) throw Unsure{};  // by release
      ++at_;
    }
    ++at_;
    const auto from = token();
    require_assignable(targets(), from);
    expect(Word::in);
    disjunction();
    while (accept(Word::if_)) disjunction();
  }
}

/// What a loop binds: no comparison, so that `in` ends it.
Grammar::Shape Grammar::targets() {
  Elements elements;
  do {
    if (elements.count > 0 && (is(Word::in) || is(Word::equals))) break;
    elements.add(target());
    elements.comma = accept(Word::comma);
  } while (elements.comma);
  return elements.together();
}

Grammar::Shape Grammar::target() { return is(Word::star) ? starred() : operation(); }

void Grammar::require_assignable(const Shape& shape, const Token& from) const {
  if (shape.kind == Shape::value || !shape.can_be_assigned) refuse(from, "");
  if (shape.kind == Shape::starred) refuse(from, "starred assignment target must be in a list or tuple");
}

/// Up to the closing bracket.
void Grammar::arguments() {
  const Nested nested(*this);
  bool keywords = false, unpacked = false;
  std::vector<std::string_view> names;
  for (std::size_t count = 0; !is(Word::close_round); ++count) {
    const auto from = token();
    if (accept(Word::stars)) {
      expression();
      unpacked = true;
    } else if (accept(Word::star)) {
      if (unpacked) refuse(from, "iterable argument unpacking follows keyword argument unpacking");
      expression();
    } else if (token(1).word == Word::equals) {
      if (!is_name()) refuse(from, is(TokenKind::name) && token().word != Word::true_ ? "invalid syntax" : "");
      const auto name = text(from);
      if (std::find(names.begin(), names.end(), name) != names.end())
        refuse(from, minor_ < 9 ? "keyword argument repeated" : fmt::format("keyword argument repeated: {}", name));
      names.push_back(name);
      at_ += 2;
      expression();
      if (begins_clause()) refuse(from, "");
      keywords = true;
    } else {
      named_expression();
      if (begins_clause()) {
        clauses();
        const bool alone = count == 0 && (is(Word::close_round) ||
                                          (minor_ < 9 && is(Word::comma) && token(1).word == Word::close_round));
        if (!alone && count == 0 && is(Word::comma) && token(1).word == Word::close_round)
          throw Unsure{};  // by release
        if (!alone) refuse(from, "Generator expression must be parenthesized");
      } else if (is(Word::equals)) {
        refuse(from, "");
      }
      if (unpacked) refuse(from, "positional argument follows keyword argument unpacking");
      if (keywords) refuse(from, "positional argument follows keyword argument");
    }
    if (!accept(Word::comma)) break;
  }
}

void Grammar::subscript() {
  const Nested nested(*this);
  do {
    if (is(Word::close_square)) break;
    slice();
  } while (accept(Word::comma));
  if (tokens_[at_ - 1].word == Word::open_square) refuse(token());
  expect(Word::close_square);
}

void Grammar::slice() {
  const auto ends = [&] { return is(Word::colon) || is(Word::close_square) || is(Word::comma); };
  if (is(Word::star)) {
    needs(11, token());
    starred_or_named();
    return;
  }
  if (!ends()) {
    if (is_name() && token(1).word == Word::becomes) needs(10, token(1));
    named_expression();
    if (ends() && !is(Word::colon)) return;
  } else if (!is(Word::colon)) {
    refuse(token());
  }
  if (!accept(Word::colon)) return;
  if (!ends()) expression();
  if (accept(Word::colon) && !ends()) expression();
}

void Grammar::lambda() {
  const Nested nested(*this);
  ++at_;
  Scope scope{.kind = Scope::lambda, .begin = at_};
  parameters(Word::colon, scope);
  expect(Word::colon);
  scopes_.push_back(std::move(scope));
  const AtEnd leave([&] { scopes_.pop_back(); });
  expression();
}

void Grammar::yield() {
  auto* scope = function_scope();
  if (scope == nullptr) refuse(token(), "'yield' outside function");
  scope->yields = true;
  ++at_;
  if (accept(Word::from)) {
    if (scope->is_async) refuse(tokens_[at_ - 1], "'yield from' inside async function");
    expression();
  } else if (begins_expression() || is(Word::star)) {
    const auto from = token();
    const auto shape = expressions();
    if (shape.kind == Shape::starred) refuse(from, "can't use starred expression here");
    if (shape.holds_star && !shape.in_brackets) needs(8, from);
  }
}

}  // namespace cudald::python

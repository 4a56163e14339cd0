// Statements of the grammar. Source: CPython Grammar/python.gram, from statements to type_params.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/at_end.h"
#include "pyimport/syntax/grammar.h"

namespace cudald::python {
namespace {

/// Names that `from __future__ import` takes. Source: CPython Lib/__future__.py.
constexpr std::array<std::string_view, 9> future_names{"nested_scopes",    "generators",     "division",
                                                       "absolute_import",  "with_statement", "print_function",
                                                       "unicode_literals", "generator_stop", "barry_as_FLUFL"};

}  // namespace

void Grammar::file() {
  while (!ends()) {
    if (accept_line_end()) continue;
    statement();
  }
}

void Grammar::statement() {
  if (is(TokenKind::indent)) refuse(token().line, "unexpected indent", 0, RefusedSyntax::Kind::indentation);
  if (compound_statement())
    takes_future_ = false;
  else
    simple_statements();
}

void Grammar::simple_statements() {
  for (;;) {
    simple_statement();
    if (!accept(Word::semicolon) || is(TokenKind::line_end)) break;
  }
  if (!ends() && !is(TokenKind::line_end)) refuse(token());
  if (!ends()) ++at_;
  if (is(TokenKind::indent)) refuse(token().line, "unexpected indent", 0, RefusedSyntax::Kind::indentation);
}

/// `print x` and `exec code`, which Python 2 had.
void Grammar::refuse_statement_of_python_2() const {
  const auto& word = token();
  if (!is_name() || (text(word) != "print" && text(word) != "exec")) return;
  const auto& next = token(1);
  const bool begins = next.kind == TokenKind::string || next.kind == TokenKind::number ||
                      (next.kind == TokenKind::name && (!is_keyword(next) || next.word == Word::none_ ||
                                                        next.word == Word::true_ || next.word == Word::false_));
  if (!begins) return;
  auto end = at_ + 1;
  while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end) ++end;
  const auto& last = tokens_[end - 1];
  const auto rest = text_.substr(next.begin, last.begin + last.size - next.begin);
  if (minor_ < 10 && next.kind == TokenKind::name) refuse(word);
  refuse(word, fmt::format("Missing parentheses in call to '{0}'. Did you mean {0}({1})?", text(word),
                           minor_ < 10 ? rest : "..."));
}

void Grammar::simple_statement() {
  const auto from = token();
  const bool is_docstring = from.kind == TokenKind::string && at_ == 0;
  if (!is_docstring && from.word != Word::from) takes_future_ = false;
  switch (from.word) {
    case Word::import: return import_statement();
    case Word::from: return from_statement();
    case Word::return_: return return_statement();
    case Word::raise:
      ++at_;
      if (!begins_expression()) return;
      expression();
      if (accept(Word::from)) expression();
      return;
    case Word::assert_:
      ++at_;
      expression();
      if (accept(Word::comma)) expression();
      return;
    case Word::del: return delete_statement();
    case Word::global:
    case Word::nonlocal: return global_statement();
    case Word::pass: ++at_; return;
    case Word::break_:
    case Word::continue_:
      if (scopes_.back().loops == 0)
        refuse(from, from.word == Word::break_ ? "'break' outside loop" : "'continue' not properly in loop");
      ++at_;
      return;
    case Word::yield:
      yield();
      if (is(Word::equals)) refuse(from, "");
      return;
    case Word::type:
      if (token(1).kind == TokenKind::name && !is_keyword(token(1)) &&
          (token(2).word == Word::equals || token(2).word == Word::open_square))
        return type_alias();
      break;
    default: break;
  }
  refuse_statement_of_python_2();
  const bool is_lazy =
      is_name() && text(from) == "lazy" && (token(1).word == Word::import || token(1).word == Word::from);
  if (is_lazy) {
    needs(15, token(1));
    ++at_;
    return is(Word::import) ? import_statement() : from_statement();
  }
  expression_statement();
}

bool Grammar::compound_statement() {
  const auto from = token();
  switch (from.word) {
    case Word::at: return decorated(), true;
    case Word::if_: return if_statement(), true;
    case Word::while_:
    case Word::for_: return loop(), true;
    case Word::try_: return try_statement(), true;
    case Word::with: return with_statement(), true;
    case Word::class_: return class_definition(), true;
    case Word::def: return function(false), true;
    case Word::async: {
      const auto next = token(1).word;
      if (next == Word::def) return ++at_, function(true), true;
      if (next != Word::for_ && next != Word::with) return false;
      if (const auto* scope = function_scope(); scope == nullptr || !scope->is_async)
        refuse(from, fmt::format("'async {}' outside async function", next == Word::for_ ? "for" : "with"));
      ++at_;
      return next == Word::for_ ? loop() : with_statement(), true;
    }
    case Word::match:
      if (!begins_match()) return false;
      needs(10, from);
      return match_statement(), true;
    default: return false;
  }
}

/// The colon and what belongs to the statement. `of`: "'if' statement"
void Grammar::block(std::string_view of, std::uint32_t line) {
  const Nested nested(*this);
  if (!is(Word::colon)) {
    // What else could have followed is not known where the line goes on.
    const bool line_ends = is(TokenKind::line_end) || ends();
    refuse(token(), minor_ >= 10 && line_ends ? "expected ':'" : "invalid syntax");
  }
  ++at_;
  if (!is(TokenKind::line_end)) return simple_statements();
  while (accept_line_end()) {
  }
  if (!is(TokenKind::indent)) {
    const auto at = ends() || token().line == 0 ? tokens_.back().line : token().line;
    refuse(at,
           minor_ < 10 ? "expected an indented block"
                       : fmt::format("expected an indented block after {} on line {}", of, line),
           0, RefusedSyntax::Kind::indentation);
  }
  ++at_;
  while (!ends() && !is(TokenKind::dedent))
    if (!accept_line_end()) statement();
  if (is(TokenKind::dedent)) ++at_;
}

void Grammar::if_statement() {
  auto from = token();
  do {
    const auto word = text(token());
    from = token();
    ++at_;
    named_expression();
    if (is(Word::equals)) refuse(token(), "");
    block(fmt::format("'{}' statement", word), from.line);
  } while (is(Word::elif));
  from = token();
  if (accept(Word::else_)) block("'else' statement", from.line);
}

void Grammar::loop() {
  auto from = token();
  ++at_;
  if (from.word == Word::for_) {
    const auto begin = token();
    require_assignable(targets(), begin);
    expect(Word::in);
    const auto shape = expressions();
    if (shape.kind == Shape::starred) refuse(begin, "can't use starred expression here");
    if (shape.holds_star && !shape.in_brackets) needs(9, begin);
  } else {
    named_expression();
  }
  ++scopes_.back().loops;
  block(from.word == Word::for_ ? "'for' statement" : "'while' statement", from.line);
  --scopes_.back().loops;
  from = token();
  if (accept(Word::else_)) block("'else' statement", from.line);
}

void Grammar::try_statement() {
  const auto begin = token();
  auto from = begin;
  ++at_;
  block("'try' statement", from.line);
  bool star = false, plain = false, bare = false;
  while (is(Word::except)) {
    from = token();
    ++at_;
    if (bare) refuse(from, "default 'except:' must be last");
    const bool is_star = is(Word::star);
    if (is_star)
      needs(11, from), ++at_, star = true;
    else
      plain = true;
    if (star && plain) refuse(from, "cannot have both 'except' and 'except*' on the same 'try'");
    if (is(Word::colon)) {
      if (is_star) refuse(token(), "expected one or more exception types");
      bare = true;
    } else {
      expression();
      if (is(Word::comma)) {
        if (minor_ < 14)
          refuse(from, minor_ < 10 ? "invalid syntax" : "multiple exception types must be parenthesized");
        while (accept(Word::comma))
          if (begins_expression()) expression();
        if (is(Word::as)) refuse(from, "multiple exception types must be parenthesized when using 'as'");
      }
      if (accept(Word::as)) expect_name();
    }
    block(is_star ? "'except*' statement" : "'except' statement", from.line);
  }
  const bool handled = star || plain;
  from = token();
  if (handled && accept(Word::else_)) block("'else' statement", from.line);
  from = token();
  const bool finally = accept(Word::finally);
  if (finally) block("'finally' statement", from.line);
  if (!handled && !finally) refuse(token(), minor_ < 10 ? "invalid syntax" : "expected 'except' or 'finally' block");
}

/// The brackets around all items are part of the statement where an item has `as`; elsewhere they are those of an
/// expression.
void Grammar::with_statement() {
  const auto from = token();
  ++at_;
  const auto close = is(Word::open_round) ? matching_bracket(at_) : tokens_.size();
  bool bracketed = close + 1 < tokens_.size() && tokens_[close + 1].word == Word::colon;
  if (bracketed) {
    int depth = 0;
    bool has_as = false;
    for (auto i = at_; i < close; ++i) {
      if (opens(tokens_[i].word)) ++depth;
      if (closes(tokens_[i].word)) --depth;
      has_as = has_as || (depth == 1 && tokens_[i].word == Word::as);
    }
    bracketed = has_as;
  }
  if (bracketed) needs(9, from), ++at_;
  do {
    if (bracketed && is(Word::close_round)) break;
    with_item();
  } while (accept(Word::comma));
  if (bracketed) expect(Word::close_round);
  block("'with' statement", from.line);
}

void Grammar::with_item() {
  expression();
  if (!accept(Word::as)) return;
  const auto from = token();
  require_assignable(target(), from);
}

void Grammar::function(bool is_async) {
  const auto from = token();
  ++at_;
  expect_name();
  if (is(Word::open_square)) {
    if (minor_ < 12) refuse(from, minor_ < 11 ? "invalid syntax" : "expected '('", 12);
    type_parameters();
  }
  if (!is(Word::open_round)) refuse(token(), minor_ < 11 ? "invalid syntax" : "expected '('");
  ++at_;
  Scope scope{.kind = Scope::function, .is_async = is_async, .begin = at_};
  parameters(Word::close_round, scope);
  expect(Word::close_round);
  if (accept(Word::arrow)) expression();
  scope.begin = at_;
  scopes_.push_back(std::move(scope));
  const AtEnd leave([this] { scopes_.pop_back(); });
  block("function definition", from.line);
  const auto& done = scopes_.back();
  if (done.is_async && done.yields && done.returns_value > 0)
    refuse(done.returns_value, "'return' with value in async generator");
}

void Grammar::class_definition() {
  const auto from = token();
  ++at_;
  expect_name();
  if (is(Word::open_square)) needs(12, from), type_parameters();
  if (accept(Word::open_round)) {
    arguments();
    expect(Word::close_round);
  }
  scopes_.push_back({.kind = Scope::class_body, .begin = at_});
  const AtEnd leave([this] { scopes_.pop_back(); });
  block("class definition", from.line);
}

void Grammar::decorated() {
  while (is(Word::at)) {
    const auto from = token();
    ++at_;
    const auto begin = at_;
    named_expression();
    if (minor_ < 9) {
      // A dotted name, and one call.
      auto i = begin + 1;
      while (i + 1 < at_ && tokens_[i].word == Word::dot && tokens_[i + 1].kind == TokenKind::name) i += 2;
      const bool is_call = i < at_ && tokens_[i].word == Word::open_round && matching_bracket(i) + 1 == at_;
      if (tokens_[begin].kind != TokenKind::name || (i != at_ && !is_call)) needs(9, from);
    }
    if (!is(TokenKind::line_end)) refuse(token());
    while (accept_line_end()) {
    }
  }
  if (is(Word::class_)) return class_definition();
  const bool is_async = is(Word::async) && token(1).word == Word::def;
  if (is_async) ++at_;
  if (!is(Word::def)) refuse(token());
  function(is_async);
}

/// `[T: bound = value, *Ts, **P]`
void Grammar::type_parameters() {
  ++at_;
  if (is(Word::close_square)) refuse(token(), "Type parameter list cannot be empty");
  std::vector<std::string_view> names;
  do {
    if (is(Word::close_square)) break;
    const bool starred = is(Word::star) || is(Word::stars);
    if (starred) ++at_;
    const auto at = token();
    names.push_back(expect_name());
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
      refuse(at, fmt::format("duplicate type parameter '{}'", names.back()));
    if (!starred && accept(Word::colon)) expression();
    if (is(Word::equals)) {
      needs(13, token());
      ++at_;
      starred ? starred_or_named() : expression();
    }
  } while (accept(Word::comma));
  expect(Word::close_square);
}

/// `type X[T] = value`
void Grammar::type_alias() {
  needs(12, token());
  at_ += 2;
  if (is(Word::open_square)) type_parameters();
  expect(Word::equals);
  expression();
}

/// The name of a parameter, which no other one has.
void Grammar::parameter_name(bool of_lambda, Scope& scope) {
  const auto at = token();
  if (is(Word::open_round) && minor_ >= 11)
    refuse(at, of_lambda ? "Lambda expression parameters cannot be parenthesized" : "");
  const auto name = expect_name();
  if (std::find(scope.parameters.begin(), scope.parameters.end(), name) != scope.parameters.end())
    refuse(at, fmt::format("duplicate {} '{}' in function definition", minor_ < 13 ? "argument" : "parameter", name));
  scope.parameters.push_back(name);
}

/// Behind `*` or `**`, which no default follows.
void Grammar::parameter_of_rest(bool of_lambda, bool by_keyword, Scope& scope) {
  parameter_name(of_lambda, scope);
  if (!of_lambda && accept(Word::colon)) {
    if (!by_keyword && is(Word::star)) {
      needs(11, token());
      starred_or_named();
    } else {
      expression();
    }
  }
  if (is(Word::equals))
    refuse(token(), minor_ < 11 ? "invalid syntax"
                                : fmt::format("var-{} argument cannot have default value",
                                              by_keyword ? "keyword" : "positional"));
}

/// Up to `end`, which stays. Annotations are those of a function alone.
void Grammar::parameters(Word end, Scope& scope) {
  const bool of_lambda = end == Word::colon;
  bool slash = false, star = false, needs_name = false, defaults = false, stars = false;
  while (!is(end)) {
    const auto from = token();
    if (stars) refuse(from, minor_ < 11 ? "invalid syntax" : "arguments cannot follow var-keyword argument");
    if (accept(Word::slash)) {
      needs(8, from);
      if (slash || star || scope.parameters.empty()) refuse(from, "");
      slash = true;
    } else if (accept(Word::stars)) {
      if (needs_name) refuse(from, "named arguments must follow bare *");
      parameter_of_rest(of_lambda, true, scope);
      stars = true;
    } else if (accept(Word::star)) {
      if (star) refuse(from, minor_ < 11 ? "invalid syntax" : "* argument may appear only once");
      if (is(end)) refuse(from, "named arguments must follow bare *");
      star = true;
      needs_name = is(Word::comma);
      if (!needs_name) parameter_of_rest(of_lambda, false, scope);
    } else {
      parameter_name(of_lambda, scope);
      needs_name = false;
      if (!of_lambda && accept(Word::colon)) expression();
      if (accept(Word::equals)) {
        expression();
        defaults = true;
      } else if (defaults && !star) {
        refuse(from, minor_ < 12 ? "non-default argument follows default argument"
                                 : "parameter without a default follows parameter with a default");
      }
    }
    if (!accept(Word::comma)) break;
  }
  if (needs_name) refuse(token(), "named arguments must follow bare *");
}

void Grammar::dotted_name() {
  expect_name();
  while (accept(Word::dot)) expect_name();
}

void Grammar::import_statement() {
  ++at_;
  do {
    dotted_name();
    if (accept(Word::as)) expect_name();
  } while (accept(Word::comma));
}

void Grammar::from_statement() {
  const auto from = token();
  ++at_;
  bool dots = false;
  while (is(Word::dot) || is(Word::dots)) ++at_, dots = true;
  const bool is_future = !dots && text(token()) == "__future__" && token(1).word == Word::import;
  if (!is_future) takes_future_ = false;
  if (is_future && !takes_future_) refuse(from, "from __future__ imports must occur at the beginning of the file");
  if (!dots || !is(Word::import)) dotted_name();
  expect(Word::import);
  if (is(Word::star)) {
    if (scopes_.size() > 1) refuse(from, "import * only allowed at module level");
    if (is_future) refuse(from, "future feature * is not defined");
    ++at_;
    return;
  }
  const bool bracketed = accept(Word::open_round);
  for (;;) {
    const auto at = token();
    const auto name = expect_name();
    if (is_future) check_future(name, at);
    if (accept(Word::as)) expect_name();
    if (!accept(Word::comma)) break;
    if (bracketed && is(Word::close_round)) break;
    if (!bracketed && is(TokenKind::line_end))
      refuse(token(), minor_ < 8 ? "" : "trailing comma not allowed without surrounding parentheses");
  }
  if (bracketed) expect(Word::close_round);
}

void Grammar::check_future(std::string_view name, const Token& at) const {
  if (name == "annotations") return needs(7, at);
  if (name == "braces") refuse(at, "not a chance");
  if (std::find(future_names.begin(), future_names.end(), name) == future_names.end())
    refuse(at, fmt::format("future feature {} is not defined", name));
  if (name == "barry_as_FLUFL") throw Unsure{};  // from here on `<>` is an operator
}

/// An expression, an assignment or an annotation.
void Grammar::expression_statement() {
  const auto from = token();
  auto shape = expressions();
  if (is(Word::becomes)) refuse(token());
  if (is(Word::colon)) {
    const bool single = shape.kind == Shape::name || shape.kind == Shape::place;
    if (!single) {
      const bool list = shape.kind == Shape::sequence;
      refuse(from, list ? "only single target (not tuple) can be annotated" : "");
    }
    ++at_;
    expression();
    if (!accept(Word::equals)) return;
    return assigned_value();
  }
  if (is(Word::augmented)) {
    if (shape.kind != Shape::name && shape.kind != Shape::place) refuse(from, "");
    ++at_;
    return assigned_value();
  }
  if (!is(Word::equals)) {
    if (shape.kind == Shape::starred) refuse(from, "can't use starred expression here");
    return;
  }
  while (accept(Word::equals)) {
    require_assignable(shape, from);
    if (is(Word::yield)) {
      yield();
      if (is(Word::equals)) refuse(token(), "");
      return;
    }
    shape = expressions();
  }
  if (shape.kind == Shape::starred) refuse(from, "can't use starred expression here");
}

/// What is assigned by `x += ` and `x: int = `, which a tuple with a star is not of old.
void Grammar::assigned_value() {
  if (is(Word::yield)) return yield();
  const auto from = token();
  const auto shape = expressions();
  if (shape.kind == Shape::starred) refuse(from, "can't use starred expression here");
}

void Grammar::delete_statement() {
  ++at_;
  do {
    if (is(TokenKind::line_end) || is(Word::semicolon)) break;
    const auto from = token();
    const auto shape = operation();
    if (shape.kind == Shape::value || shape.kind == Shape::starred || !shape.can_be_assigned || shape.holds_star)
      refuse(from, "");
  } while (accept(Word::comma));
  if (tokens_[at_ - 1].word == Word::del) refuse(token());
}

/// A name that the function has used before, or that is a parameter of it, cannot be declared.
void Grammar::global_statement() {
  const auto from = token();
  const bool is_global = from.word == Word::global;
  const auto word = text(from);
  ++at_;
  if (!is_global && scopes_.size() == 1) refuse(from, "nonlocal declaration not allowed at module level");
  do {
    const auto name = expect_name();
    const auto& scope = scopes_.back();
    if (scope.kind != Scope::function) continue;
    if (std::find(scope.parameters.begin(), scope.parameters.end(), name) != scope.parameters.end())
      refuse(from, fmt::format("name '{}' is parameter and {}", name, word));
    for (auto i = scope.begin; i + 1 < at_ && tokens_[i].begin < from.begin; ++i) {
      const auto& before = tokens_[i];
      // What an inner scope uses is another name.
      if (before.word == Word::def || before.word == Word::class_ || before.word == Word::lambda ||
          before.word == Word::for_)
        break;
      const bool is_attribute = i > 0 && tokens_[i - 1].word == Word::dot;
      if (before.kind != TokenKind::name || is_attribute || text(before) != name) continue;
      const auto next = tokens_[i + 1].word;
      const auto previous = tokens_[i - 1];
      if (next == Word::equals && (previous.kind == TokenKind::line_end || previous.kind == TokenKind::indent))
        refuse(from, fmt::format("name '{}' is assigned to before {} declaration", name, word));
    }
  } while (accept(Word::comma));
}

void Grammar::return_statement() {
  const auto from = token();
  ++at_;
  if (scopes_.back().kind != Scope::function) refuse(from, "'return' outside function");
  if (!begins_expression() && !is(Word::star)) return;
  const auto shape = expressions();
  if (auto& line = scopes_.back().returns_value; line == 0) line = from.line;
  if (shape.kind == Shape::starred) refuse(from, "can't use starred expression here");
  if (shape.holds_star && !shape.in_brackets) needs(8, from);
}

/// `match` is a name like any other where no block of `case` follows.
bool Grammar::begins_match() const {
  auto end = at_;
  while (end < tokens_.size() && tokens_[end].kind != TokenKind::line_end) ++end;
  return end > at_ + 1 && tokens_[end - 1].word == Word::colon && end + 2 < tokens_.size() &&
         tokens_[end + 1].kind == TokenKind::indent && tokens_[end + 2].word == Word::case_;
}

void Grammar::match_statement() {
  ++at_;
  do {
    if (is(Word::colon)) break;
    starred_or_named();
  } while (accept(Word::comma));
  expect(Word::colon);
  while (accept_line_end()) {
  }
  ++at_;  // the indent
  while (is(Word::case_)) {
    const auto from = token();
    ++at_;
    patterns();
    if (accept(Word::if_)) named_expression();
    block("'case' statement", from.line);
    while (accept_line_end()) {
    }
  }
  if (!is(TokenKind::dedent)) refuse(token());
  ++at_;
}

}  // namespace cudald::python

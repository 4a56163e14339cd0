#include <string_view>

#include "pyimport/syntax/parser.h"

namespace cudald::python {

/// Statements up to the end of the block. Where indentation tells more blocks than were understood, their statements
/// are taken as they come.
Parser::Index Parser::block(bool indented) {
  Children statements(*this);
  const auto from = token();
  int inner = 0;
  while (at_ < tokens_.size()) {
    if (is(TokenKind::dedent)) {
      if (inner == 0 && indented) {
        ++at_;
        break;
      }
      if (inner > 0) --inner;
      ++at_;
    } else if (is(TokenKind::indent)) {
      ++inner;
      ++at_;
    } else if (is(TokenKind::line_end)) {
      ++at_;
    } else {
      line(statements);
    }
  }
  return add(row(NodeKind::block, from), statements);
}

/// One logical line, with the block that belongs to it.
void Parser::line(Children& into) {
  const auto first = token();
  too_deep_ = false;
  const auto compound = compound_statement();
  if (compound != 0 && too_deep_) into.push(add(row(NodeKind::too_deep, first)));  // its head, or a block of one line
  if (compound != 0) return into.push(compound);
  for (;;) {
    const auto from = at_;
    too_deep_ = false;
    const auto statement = simple_statement();
    const bool understood = at_ > from && (is(TokenKind::line_end) || is(Word::semicolon));
    if (understood) {
      into.push(too_deep_ ? add(row(NodeKind::too_deep, tokens_[from])) : statement);
    } else {
      while (at_ < tokens_.size() && !is(TokenKind::line_end) && !is(Word::semicolon)) skip_part();
      note_malformed(tokens_[from]);
      into.push(add(row(NodeKind::missing, tokens_[from])));
    }
    if (!accept(Word::semicolon) || is(TokenKind::line_end)) return;
  }
}

/// 0 if the line is a simple statement.
Parser::Index Parser::compound_statement() {
  switch (token().word) {
    case Word::at: return decorated();
    case Word::if_: return if_statement();
    case Word::while_: return loop(NodeKind::while_);
    case Word::for_: return loop(NodeKind::for_);
    case Word::try_: return try_statement();
    case Word::with: return with_statement();
    case Word::class_: return class_definition(0);
    case Word::def: return function_definition(0, false);
    case Word::async:
      if (token(1).word == Word::def) return ++at_, function_definition(0, true);
      if (token(1).word == Word::for_) return ++at_, loop(NodeKind::for_);
      if (token(1).word == Word::with) return ++at_, with_statement();
      return 0;
    case Word::match: return ends_in_colon() ? match_statement() : 0;
    case Word::cdef:
    case Word::cpdef:
    case Word::ctypedef: return token(1).word == Word::equals ? 0 : cython_definition();
    case Word::elif:  // without their `if` and `try`
    case Word::else_:
    case Word::except:
    case Word::finally:
      while (at_ < tokens_.size() && !is(Word::colon) && !is(TokenKind::line_end)) skip_part();
      return suite();
    default: return 0;
  }
}

Parser::Index Parser::simple_statement() {
  const auto from = token();
  switch (from.word) {
    case Word::import: return import_statement();
    case Word::cimport:  // a name like any other in Python: isort has a field `cimport: bool`
      return token(1).kind == TokenKind::name ? import_statement() : expression_statement();
    case Word::from: return from_statement();
    case Word::return_: return with_optional_values(NodeKind::return_, 1, Word::none);
    case Word::raise: return with_optional_values(NodeKind::raise, 2, Word::from);
    case Word::assert_: return with_optional_values(NodeKind::assert_, 2, Word::comma);
    case Word::del: return named_list(NodeKind::delete_);
    case Word::global: return named_list(NodeKind::global);
    case Word::break_: ++at_; return add(row(NodeKind::break_, from));
    case Word::continue_: ++at_; return add(row(NodeKind::continue_, from));
    case Word::pass: ++at_; return add(row(NodeKind::pass, from));
    case Word::nonlocal: return named_list(NodeKind::nonlocal);
    case Word::include:
      if (token(1).kind != TokenKind::string) return expression_statement();
      return with_optional_values(NodeKind::include, 1, Word::none);
    case Word::type:
      if (token(1).kind != TokenKind::name || token(1).word != Word::none) return expression_statement();
      return type_alias();
    default:
      if (token(1).word == Word::import || token(1).word == Word::from) return lazy_import();
      return expression_statement();
  }
}

/// `type X[T] = ...` gives X a value that is not worked out before somebody asks for it (PEP 695).
Parser::Index Parser::type_alias() {
  const auto from = token();
  ++at_;
  Children parts(*this);
  parts.push(0);
  parts.push(add(leaf(NodeKind::name, token())));
  skip_line();
  return add(row(NodeKind::assignment, from), parts);
}

/// `lazy import a.b, c as d` and `lazy from a import b`
Parser::Index Parser::lazy_import() {
  const auto from = token();
  if (text(from) != "lazy") return expression_statement();
  ++at_;
  Children parts(*this);
  parts.push(is(Word::from) ? from_statement() : import_statement());
  return add(row(NodeKind::lazy, from), parts);
}

/// An expression, an assignment or an annotation.
Parser::Index Parser::expression_statement() {
  const auto from = token();
  const auto first = expressions();
  if (is(Word::colon)) {
    Children parts(*this);
    ++at_;
    parts.push(first);
    parts.push(expression());
    parts.push(accept(Word::equals) ? expressions() : 0);
    return add(row(NodeKind::annotated, from), parts);
  }
  if (is(Word::augmented)) {
    const auto sign = leaf(NodeKind::augmented, token());
    Children parts(*this);
    ++at_;
    parts.push(first);
    parts.push(expressions());
    return add(sign, parts);
  }
  if (!is(Word::equals)) return first;
  Children parts(*this);
  parts.push(0);
  parts.push(first);
  while (accept(Word::equals)) parts.push(expressions());
  pending_[pending_.size() - parts.size()] = pending_.back();  // the last one is the value
  pending_.pop_back();
  return add(row(NodeKind::assignment, from), parts);
}

/// A keyword and up to `most` expressions.
Parser::Index Parser::with_optional_values(NodeKind kind, std::size_t most, Word separator) {
  const auto from = token();
  Children values(*this);
  ++at_;
  if (!ends_expression()) values.push(most == 1 ? expressions() : expression());
  while (values.size() > 0 && values.size() < most && accept(separator)) values.push(expression());
  if (kind == NodeKind::raise && accept(Word::comma)) skip_line();  // Python 2
  return add(row(kind, from), values);
}

Parser::Index Parser::named_list(NodeKind kind) {
  const auto from = token();
  Children targets(*this);
  ++at_;
  do {
    if (ends_expression()) break;
    targets.push(operation(1));
  } while (accept(Word::comma));
  return add(row(kind, from), targets);
}

Parser::Index Parser::dotted_name() {
  if (!is(TokenKind::name)) return 0;
  auto name = row(NodeKind::dotted_name, token());
  ++at_;
  while (is(Word::dot) && token(1).kind == TokenKind::name) at_ += 2;
  const auto& last = tokens_[at_ - 1];
  name.size = last.begin + last.size - name.begin;
  return add(name);
}

Parser::Index Parser::name_or_missing() {
  if (!is(TokenKind::name)) return 0;
  const auto name = add(leaf(NodeKind::name, token()));
  ++at_;
  return name;
}

Parser::Index Parser::imported_name() {
  const auto from = token();
  Children parts(*this);
  if (accept(Word::star)) {
    parts.push(add(row(NodeKind::dotted_name, from)));
    return add(row(NodeKind::imported_name, from), parts);
  }
  const auto name = dotted_name();
  if (name == 0) return 0;
  parts.push(name);
  parts.push(accept(Word::as) ? name_or_missing() : 0);
  return add(row(NodeKind::imported_name, from), parts);
}

Parser::Index Parser::import_statement() {
  const auto from = token();
  Children names(*this);
  ++at_;
  do {
    const auto name = imported_name();
    if (name == 0) break;
    names.push(name);
  } while (accept(Word::comma));
  return add(row(from.word == Word::import ? NodeKind::import : NodeKind::cimport, from), names);
}

Parser::Index Parser::from_statement() {
  const auto from = token();
  ++at_;
  std::uint16_t level = 0;
  for (; is(Word::dot) || is(Word::dots); ++at_)
    if (level < 1000) level = static_cast<std::uint16_t>(level + (is(Word::dot) ? 1 : 3));
  Children names(*this);
  names.push(is(Word::import) || is(Word::cimport) ? 0 : dotted_name());
  auto head = row(is(Word::cimport) ? NodeKind::cimport : NodeKind::from_import, from);
  head.word = Word::from;
  head.level = level;
  if (!accept(Word::import) && !accept(Word::cimport)) return 0;
  const bool bracketed = accept(Word::open_round);
  do {
    const auto name = imported_name();
    if (name == 0) break;
    names.push(name);
  } while (accept(Word::comma));
  if (bracketed) accept(Word::close_round);
  return add(head, names);
}

/// The block behind a colon; of a head that was not understood, what stands before the colon is passed over.
Parser::Index Parser::suite() {
  if (!is(Word::colon)) note_malformed(token());
  while (at_ < tokens_.size() && !is(Word::colon) && !is(TokenKind::line_end)) skip_part();
  if (!accept(Word::colon)) return add(row(NodeKind::block, token()));
  if (!is(TokenKind::line_end)) {  // `if x: import y`
    const auto from = token();
    Children statements(*this);
    for (;;) {
      const auto begin = at_;
      const auto statement = simple_statement();
      if (is(TokenKind::line_end) || is(Word::semicolon)) statements.push(statement);
      while (at_ < tokens_.size() && !is(TokenKind::line_end) && !is(Word::semicolon)) skip_part();
      if (!accept(Word::semicolon) || at_ == begin || is(TokenKind::line_end)) break;
    }
    while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;  // `elif` may follow
    return add(row(NodeKind::block, from), statements);
  }
  while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  if (!is(TokenKind::indent)) return add(row(NodeKind::block, token()));
  ++at_;
  return block(true);
}

Parser::Index Parser::if_statement() {
  const auto from = token();
  Children parts(*this);
  do {
    ++at_;
    parts.push(expression());
    parts.push(suite());
  } while (is(Word::elif));
  if (accept(Word::else_)) parts.push(suite());
  return add(row(NodeKind::if_, from), parts);
}

Parser::Index Parser::loop(NodeKind kind) {
  const auto from = token();
  Children parts(*this);
  ++at_;
  if (kind == NodeKind::for_) {
    parts.push(expressions(true));
    parts.push(accept(Word::in) ? expressions() : 0);
  } else {
    parts.push(expression());
  }
  parts.push(suite());
  if (accept(Word::else_)) parts.push(suite());
  return add(row(kind, from), parts);
}

Parser::Index Parser::try_statement() {
  const auto from = token();
  Children parts(*this);
  ++at_;
  parts.push(suite());
  while (is(Word::except)) parts.push(handler());
  if (is(Word::else_)) parts.push(clause(NodeKind::else_));
  if (is(Word::finally)) parts.push(clause(NodeKind::finally_));
  return add(row(NodeKind::try_, from), parts);
}

Parser::Index Parser::clause(NodeKind kind) {
  const auto from = token();
  Children parts(*this);
  ++at_;
  parts.push(suite());
  return add(row(kind, from), parts);
}

Parser::Index Parser::handler() {
  const auto from = token();
  Children parts(*this);
  ++at_;
  accept(Word::star);
  parts.push(is(Word::colon) ? 0 : expressions());  // without brackets since 3.14, and in Python 2
  parts.push(accept(Word::as) ? name_or_missing() : 0);
  parts.push(suite());
  return add(row(NodeKind::handler, from), parts);
}

Parser::Index Parser::with_statement() {
  const auto from = token();
  Children parts(*this);
  ++at_;
  with_items(parts, with_in_brackets());
  parts.push(suite());
  return add(row(NodeKind::with, from), parts);
}

/// `with (a as b, c as d):`; of `with (a, b):` the brackets do not matter either.
bool Parser::with_in_brackets() const {
  if (!is(Word::open_round)) return false;
  int open = 0;
  for (auto i = at_; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
    if (opens(tokens_[i].word)) ++open;
    if (closes(tokens_[i].word) && --open == 0) return i + 1 < tokens_.size() && tokens_[i + 1].word == Word::colon;
  }
  return false;
}

void Parser::with_items(Children& into, bool bracketed) {
  if (bracketed) ++at_;
  do {
    if (is(Word::close_round) || is(TokenKind::line_end)) break;
    into.push(with_item());
  } while (accept(Word::comma));
  if (bracketed) accept(Word::close_round);
}

Parser::Index Parser::with_item() {
  const auto from = token();
  Children parts(*this);
  parts.push(expression());
  parts.push(accept(Word::as) ? operation(1) : 0);
  return add(row(NodeKind::item, from), parts);
}

/// `match` is an ordinary name too: a statement of that kind ends its line with a colon.
bool Parser::ends_in_colon() const {
  const auto next = token(1).word;
  if (next == Word::equals || next == Word::colon || next == Word::dot || next == Word::comma) return false;
  int open = 0;
  for (auto i = at_; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
    if (opens(tokens_[i].word)) ++open;
    if (closes(tokens_[i].word)) --open;
    if (tokens_[i].word == Word::colon && open == 0 && i + 1 < tokens_.size())
      return i > at_ + 1 && tokens_[i + 1].kind == TokenKind::line_end;
  }
  return false;
}

Parser::Index Parser::match_statement() {
  const auto from = token();
  Children parts(*this);
  ++at_;
  parts.push(expressions());
  while (!is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  const bool indented = is(TokenKind::indent);
  if (indented) ++at_;
  while (indented && is(Word::case_)) {
    parts.push(case_clause());
    while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  }
  if (indented && is(TokenKind::dedent)) ++at_;
  return add(row(NodeKind::match, from), parts);
}

Parser::Index Parser::case_clause() {
  const auto from = token();
  Children parts(*this);
  ++at_;
  in_pattern_ = true;
  parts.push(expressions(true));
  in_pattern_ = false;
  while (at_ < tokens_.size() && !is(Word::if_) && !is(Word::colon) && !is(TokenKind::line_end)) {
    pending_.back() = 0;  // a name behind `as`, or what is no expression
    skip_part();
  }
  parts.push(accept(Word::if_) ? expression() : 0);
  parts.push(suite());
  return add(row(NodeKind::case_, from), parts);
}

Parser::Index Parser::decorated() {
  Children all(*this);
  const auto from = token();
  while (accept(Word::at)) {
    all.push(expression());
    skip_line();
    while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  }
  const auto decorators = add(row(NodeKind::decorators, from), all);
  if (is(Word::class_)) return class_definition(decorators);
  const bool asynchronous = is(Word::async) && token(1).word == Word::def && accept(Word::async);
  if (is(Word::def)) return function_definition(decorators, asynchronous);
  return decorators;  // of nothing that is known, as Cython's cdef
}

Parser::Index Parser::class_definition(Index decorators) {
  auto head = row(NodeKind::class_, token());
  Children parts(*this);
  ++at_;
  parts.push(name_or_missing());
  parts.push(decorators);
  if (is(Word::open_square)) skip_brackets(), head.level = 1;
  parts.push(class_arguments());
  parts.push(suite());
  return add(head, parts);
}

Parser::Index Parser::class_arguments() {
  const auto from = token();
  Children arguments(*this);
  if (accept(Word::open_round)) {
    call_arguments(arguments);
    accept(Word::close_round);
  }
  return add(row(NodeKind::arguments, from), arguments);
}

Parser::Index Parser::function_definition(Index decorators, bool asynchronous) {
  auto head = row(NodeKind::function, token());
  if (asynchronous) head.word = Word::async;
  Children parts(*this);
  ++at_;
  parts.push(name_or_missing());
  parts.push(decorators);
  if (is(Word::open_square)) skip_brackets(), head.level = 1;
  const bool bracketed = accept(Word::open_round);
  parts.push(parameters(false));
  if (bracketed) accept(Word::close_round);
  parts.push(accept(Word::arrow) ? expression() : 0);
  parts.push(function_suite());
  return add(head, parts);
}

/// The body of a function: unread, unless the function stands in another one.
Parser::Index Parser::function_suite() {
  if (!is(Word::colon)) note_malformed(token());
  while (at_ < tokens_.size() && !is(Word::colon) && !is(TokenKind::line_end)) skip_part();
  if (function_depth_ > 0 || !is(Word::colon) || token(1).kind != TokenKind::line_end) {
    ++function_depth_;
    const auto body = suite();
    --function_depth_;
    return body;
  }
  ++at_;
  while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  if (!is(TokenKind::indent)) return add(row(NodeKind::block, token()));
  auto body = row(NodeKind::unread_body, token());
  const auto line_begin = tree_.text().rfind('\n', body.begin);
  body.begin = line_begin == std::string_view::npos ? 0 : static_cast<std::uint32_t>(line_begin + 1);
  int open = 0;
  for (; at_ < tokens_.size(); ++at_) {
    if (is(TokenKind::indent)) ++open;
    if (is(TokenKind::dedent) && --open == 0) break;
  }
  const auto end = at_ < tokens_.size() ? token().begin : static_cast<std::uint32_t>(tree_.text().size());
  body.size = end - body.begin;
  if (at_ < tokens_.size()) ++at_;
  return add(body);
}

/// Where the sign in `cdef TYPE NAME = VALUE` stands; nullopt for what declares no name with a value.
std::optional<std::size_t> Parser::sign_of_declaration() const {
  int open = 0;
  for (auto i = at_ + 1; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
    const auto word = tokens_[i].word;
    open += opens(word) ? 1 : closes(word) ? -1 : 0;
    if (open == 0 && word == Word::colon) break;
    if (open == 0 && word == Word::equals)
      return i > at_ + 1 && tokens_[i - 1].kind == TokenKind::name ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

/// `cdef class X:` is a class, and a value of what is declared is computed; the rest declares C and imports nothing.
Parser::Index Parser::cython_definition() {
  const auto from = token();
  if (const auto sign = sign_of_declaration()) {
    Children parts(*this);
    at_ = *sign + 1;
    parts.push(expression());
    parts.push(add(leaf(NodeKind::name, tokens_[*sign - 1])));
    skip_line();
    return add(row(NodeKind::assignment, from), parts);
  }
  for (auto i = at_; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
    if (tokens_[i].word != Word::class_) continue;
    at_ = i;
    return class_definition(0);
  }
  bool opens_block = false;
  for (; at_ < tokens_.size() && !is(TokenKind::line_end); ++at_) opens_block = is(Word::colon);
  while (is(TokenKind::line_end) && at_ < tokens_.size()) ++at_;
  if (opens_block && is(TokenKind::indent)) {
    int open = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (is(TokenKind::indent)) ++open;
      if (is(TokenKind::dedent) && --open == 0) break;
    }
    if (at_ < tokens_.size()) ++at_;
  }
  return add(row(NodeKind::pass, from));
}

/// Up to the bracket or colon behind them, which stays.
Parser::Index Parser::parameters(bool of_lambda) {
  const auto from = token();
  const auto end = of_lambda ? Word::colon : Word::close_round;
  Children all(*this);
  bool keyword_only = false;
  while (at_ < tokens_.size() && !is(end) && !is(TokenKind::line_end)) {
    if (accept(Word::slash)) {
      accept(Word::comma);
      continue;
    }
    keyword_only = keyword_only || is(Word::star);
    all.push(parameter(of_lambda, keyword_only));
    if (accept(Word::comma)) continue;
    while (at_ < tokens_.size() && !is(end) && !is(Word::comma) && !is(TokenKind::line_end)) skip_part();
    accept(Word::comma);
  }
  return add(row(NodeKind::parameters, from), all);
}

Parser::Index Parser::parameter(bool of_lambda, bool keyword_only) {
  const auto sign = is(Word::star) || is(Word::stars) ? token().word : keyword_only ? Word::at : Word::none;
  if (is(Word::star) || is(Word::stars)) ++at_;
  auto head = row(NodeKind::parameter, token());
  if (is(TokenKind::name))
    ++at_;
  else
    head.size = 0;  // a star alone
  head.word = sign;
  Children parts(*this);
  parts.push(!of_lambda && accept(Word::colon) ? starred_or_expression() : 0);
  parts.push(accept(Word::equals) ? expression() : 0);
  return add(head, parts);
}

}  // namespace cudald::python

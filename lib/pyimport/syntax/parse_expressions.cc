#include <algorithm>
#include <span>

#include "pyimport/syntax/parser.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {
namespace {

constexpr int max_depth = 120;  ///< of expressions within expressions

/// How strongly an operator binds; 0 for what is none.
int rank_of(Word word) {
  switch (word) {
    case Word::pipe: return 1;
    case Word::caret: return 2;
    case Word::ampersand: return 3;
    case Word::left_shift:
    case Word::right_shift: return 4;
    case Word::plus:
    case Word::minus: return 5;
    case Word::star:
    case Word::slash:
    case Word::slashes:
    case Word::percent:
    case Word::at: return 6;
    default: return 0;
  }
}
constexpr int highest_rank = 6;

/// Where the expression of a replacement field ends: at its conversion, its format or its brace.
std::size_t end_of_expression(std::string_view text, std::size_t i, std::size_t end) {
  int open = 0;
  for (; i < end; ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = std::min(text.find(c, i + 1), end);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (open > 0) continue;
    if (c == ':' || (c == '!' && i + 1 < end && text[i + 1] != '=')) return i;
  }
  return end;
}

/// Where the brace at `i` is closed; npos if it is not.
std::size_t end_of_field(std::string_view text, std::size_t i, std::size_t end) {
  int open = 0;
  for (; i < end; ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const auto quote = text.find(text[i], i + 1);
      if (quote < end) i = quote;
      continue;
    }
    if (text[i] == '{') ++open;
    if (text[i] == '}' && --open == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

/// One or more, a tuple if there are commas; at least one is read.
Parser::Index Parser::expressions(bool targets) {
  const auto from = token();
  Children elements(*this);
  bool many = false;
  do {
    if (ends_expression() && elements.size() > 0) break;
    elements.push(targets ? target() : starred_or_expression());
  } while (accept(Word::comma) && (many = true));
  if (!many && elements.size() == 1) return elements.all()[0];
  return add(row(NodeKind::tuple, from), elements);
}

/// What a loop binds, or a pattern; neither holds comparisons.
Parser::Index Parser::target() {
  const auto from = token();
  if (!accept(Word::star)) return named_pattern(operation(1));
  Children of(*this);
  of.push(operation(1));
  return add(row(NodeKind::starred, from), of);
}

bool Parser::ends_expression() const {
  switch (token().word) {
    case Word::close_round:
    case Word::close_square:
    case Word::close_curly:
    case Word::equals:
    case Word::colon:
    case Word::semicolon:
    case Word::augmented:
    case Word::in: return true;
    default: return token().kind == TokenKind::line_end;
  }
}

Parser::Index Parser::starred_or_expression() {
  if (!is(Word::star) && !is(Word::stars)) return expression();
  const auto from = token();
  ++at_;
  Children of(*this);
  of.push(expression());
  return add(row(from.word == Word::star ? NodeKind::starred : NodeKind::double_starred, from), of);
}

Parser::Index Parser::expression() {
  if (++depth_ > max_depth) {
    --depth_;
    return too_deep();
  }
  const auto result = named_pattern(expression_inner());
  --depth_;
  return result;
}

/// `pattern as name`
Parser::Index Parser::named_pattern(Index pattern) {
  if (!in_pattern_ || !is(Word::as)) return pattern;
  const auto from = token();
  ++at_;
  Children parts(*this);
  parts.push(name_or_missing());
  parts.push(pattern);
  return add(row(NodeKind::named, from), parts);
}

/// The rest of the line is passed over.
Parser::Index Parser::too_deep() {
  too_deep_ = true;
  const auto result = add(row(NodeKind::too_deep, token()));
  skip_line();
  return result;
}

Parser::Index Parser::expression_inner() {
  if (is(Word::lambda)) return lambda();
  if (is(Word::yield)) return yield();
  const auto from = token();
  if (is(TokenKind::name) && token(1).word == Word::becomes) {
    Children parts(*this);
    parts.push(add(leaf(NodeKind::name, from)));
    at_ += 2;
    parts.push(expression());
    return add(row(NodeKind::named, from), parts);
  }
  const auto value = disjunction();
  if (!is(Word::if_)) return value;
  ++at_;
  Children parts(*this);
  parts.push(disjunction());
  parts.push(value);
  parts.push(accept(Word::else_) ? expression() : 0);
  return add(row(NodeKind::conditional, from), parts);
}

Parser::Index Parser::disjunction() {
  const auto from = token();
  const auto first = conjunction();
  if (!is(Word::or_)) return first;
  Children operands(*this);
  operands.push(first);
  while (accept(Word::or_)) operands.push(conjunction());
  return add(row(NodeKind::disjunction, from), operands);
}

Parser::Index Parser::conjunction() {
  const auto from = token();
  const auto first = negation();
  if (!is(Word::and_)) return first;
  Children operands(*this);
  operands.push(first);
  while (accept(Word::and_)) operands.push(negation());
  return add(row(NodeKind::conjunction, from), operands);
}

Parser::Index Parser::negation() {
  const auto from = token();
  std::size_t times = 0;
  for (; is(Word::not_); ++at_) ++times;
  auto value = comparison();
  if (times == 0) return value;
  for (std::size_t i = 0; i < (times % 2 == 1 ? 1 : 2); ++i) {
    Children operand(*this);
    operand.push(value);
    value = add(row(NodeKind::negation, from), operand);
  }
  return value;
}

Parser::Index Parser::comparison() {
  const auto from = token();
  const auto first = operation(1);
  auto sign = comparison_operator();
  if (!sign) return first;
  Children parts(*this);
  parts.push(first);
  for (; sign; sign = comparison_operator()) {
    auto mark = row(NodeKind::operator_, token());
    mark.word = *sign;
    parts.push(add(mark));
    parts.push(operation(1));
  }
  return add(row(NodeKind::comparison, from), parts);
}

std::optional<Word> Parser::comparison_operator() {
  const auto word = token().word;
  switch (word) {
    case Word::equal:
    case Word::unequal:
    case Word::less:
    case Word::greater:
    case Word::at_most:
    case Word::at_least:
    case Word::in: ++at_; return word;
    case Word::is: ++at_; return accept(Word::not_) ? Word::is_not : Word::is;
    case Word::not_:
      if (token(1).word != Word::in) return std::nullopt;
      at_ += 2;
      return Word::not_in;
    default: return std::nullopt;
  }
}

/// Operators of this rank and higher ones. Those of one rank are children of one node, so that long sums are not deep.
Parser::Index Parser::operation(int rank) {
  const auto from = token();
  auto left = unary();
  for (int level = highest_rank; level >= rank; --level) {
    if (rank_of(token().word) != level) continue;
    Children parts(*this);
    parts.push(left);
    while (rank_of(token().word) == level) {
      parts.push(add(leaf(NodeKind::operator_, token())));
      ++at_;
      const auto sign = token();
      const auto operand = level == highest_rank ? unary() : operation(level + 1);
      if (operand == 0) note_malformed(sign);
      parts.push(operand);
    }
    left = add(row(NodeKind::operation, from), parts);
  }
  return left;
}

Parser::Index Parser::unary() {
  const auto from = token();
  std::vector<Token> signs;
  while (is(Word::minus) || is(Word::plus) || is(Word::tilde)) {
    if (signs.size() < 2) signs.push_back(token());
    ++at_;
  }
  auto value = power();
  for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign) {
    Children operand(*this);
    operand.push(value);
    auto mark = row(NodeKind::sign, from);
    mark.word = sign->word;
    value = add(mark, operand);
  }
  return value;
}

Parser::Index Parser::power() {
  const auto from = token();
  const bool awaits = is(Word::await) && token(1).kind == TokenKind::name && accept(Word::await);
  auto value = primary();
  if (awaits) {
    Children operand(*this);
    operand.push(value);
    value = add(row(NodeKind::await, from), operand);
  }
  if (!is(Word::stars)) return value;
  Children parts(*this);
  parts.push(value);
  parts.push(add(leaf(NodeKind::operator_, token())));
  ++at_;
  parts.push(++depth_ > max_depth ? too_deep() : unary());
  --depth_;
  return add(row(NodeKind::operation, from), parts);
}

Parser::Index Parser::primary() {
  const auto from = token();
  const auto before = depth_;
  auto value = atom();
  for (;;) {
    if (is(Word::dot) && token(1).kind == TokenKind::name) {
      Children owner(*this);
      owner.push(value);
      ++at_;
      value = add(leaf(NodeKind::attribute, token()), owner);
      ++at_;
    } else if (is(Word::open_round)) {
      value = call(value, from);
    } else if (is(Word::open_square)) {
      value = subscript(value, from);
    } else {
      break;
    }
    if (++depth_ > max_depth) value = too_deep();
  }
  depth_ = before;
  return value;
}

Parser::Index Parser::call(Index callee, const Token& from) {
  Children parts(*this);
  parts.push(callee);
  ++at_;
  call_arguments(parts);
  accept(Word::close_round);
  return add(row(NodeKind::call, from), parts);
}

/// Up to the closing bracket, which stays.
void Parser::call_arguments(Children& into) {
  while (at_ < tokens_.size() && !is(Word::close_round) && !is(TokenKind::line_end)) {
    into.push(argument());
    if (accept(Word::comma) || is(Word::close_round)) continue;
    // Not understood, as is the rest up to the bracket.
    into.push(0);
    while (at_ < tokens_.size() && !is(Word::close_round) && !is(TokenKind::line_end)) skip_part();
  }
}

Parser::Index Parser::argument() {
  const auto from = token();
  if (is(TokenKind::name) && token(1).word == Word::equals) {
    Children of(*this);
    at_ += 2;
    of.push(expression());
    return add(leaf(NodeKind::keyword, from), of);
  }
  const auto value = starred_or_expression();
  return begins_clause() ? comprehension(from, value) : value;
}

bool Parser::begins_clause() const { return is(Word::for_) || (is(Word::async) && token(1).word == Word::for_); }

Parser::Index Parser::subscript(Index owner, const Token& from) {
  Children indices(*this);
  ++at_;
  const auto first = token();
  bool many = false;
  while (at_ < tokens_.size() && !is(Word::close_square) && !is(TokenKind::line_end)) {
    indices.push(slice());
    if (!accept(Word::comma)) break;
    many = true;
  }
  while (at_ < tokens_.size() && !is(Word::close_square) && !is(TokenKind::line_end)) ++at_;
  accept(Word::close_square);
  const auto index = many || indices.size() != 1 ? add(row(NodeKind::tuple, first), indices) : indices.all()[0];
  Children both(*this);
  both.push(owner);
  both.push(index);
  return add(row(NodeKind::subscript, from), both);
}

Parser::Index Parser::slice() {
  const auto from = token();
  const auto ends = [&] { return is(Word::colon) || is(Word::close_square) || is(Word::comma); };
  const auto first = ends() ? 0 : starred_or_expression();
  if (!is(Word::colon)) return first;
  Children bounds(*this);
  bounds.push(first);
  while (bounds.size() < 3 && accept(Word::colon)) bounds.push(ends() ? 0 : expression());
  return add(row(NodeKind::slice, from), bounds);
}

Parser::Index Parser::atom() {
  const auto from = token();
  switch (from.kind) {
    case TokenKind::string: return strings();
    case TokenKind::number: ++at_; return add(leaf(NodeKind::number, from));
    case TokenKind::name:
      if (is(Word::for_) || is(Word::in) || is(Word::if_) || is(Word::else_) || is(Word::is) || is(Word::and_) ||
          is(Word::or_) || is(Word::as))
        return 0;
      ++at_;
      if (from.word == Word::none_) return add(leaf(NodeKind::none, from));
      if (from.word == Word::true_) return add(leaf(NodeKind::true_, from));
      if (from.word == Word::false_) return add(leaf(NodeKind::false_, from));
      return add(leaf(NodeKind::name, from));
    case TokenKind::symbol:
      if (from.word == Word::dots) {
        ++at_;
        return add(leaf(NodeKind::ellipsis, from));
      }
      if (from.word == Word::open_curly) return braces();
      return opens(from.word) ? bracketed() : 0;
    default: return 0;
  }
}

/// A list, a tuple, or one expression in round brackets.
Parser::Index Parser::bracketed() {
  const auto open = token();
  const auto close = open.word == Word::open_round ? Word::close_round : Word::close_square;
  Children elements(*this);
  ++at_;
  bool many = false, comprehends = false;
  while (at_ < tokens_.size() && !is(close) && !is(TokenKind::line_end)) {
    const auto value = starred_or_expression();
    comprehends = begins_clause();
    elements.push(comprehends ? comprehension(open, value) : value);
    if (!accept(Word::comma)) break;
    many = true;
  }
  const bool understood = is(close);
  if (!understood) note_malformed(open);
  while (at_ < tokens_.size() && !is(close) && !is(TokenKind::line_end)) skip_part();
  if (!accept(close) || !understood) return 0;
  if (elements.size() == 1 && !many && (open.word == Word::open_round || comprehends)) return elements.all()[0];
  return add(row(open.word == Word::open_round ? NodeKind::tuple : NodeKind::list, open), elements);
}

/// A dictionary or a set.
Parser::Index Parser::braces() {
  const auto open = token();
  Children elements(*this);
  ++at_;
  bool dict = is(Word::close_curly), comprehends = false;
  while (at_ < tokens_.size() && !is(Word::close_curly) && !is(TokenKind::line_end)) {
    const auto from = token();
    dict = dict || is(Word::stars);
    auto element = starred_or_expression();
    if (accept(Word::colon)) {
      dict = true;
      Children pair(*this);
      pair.push(element);
      pair.push(expression());
      element = add(row(NodeKind::pair, from), pair);
    }
    comprehends = begins_clause();
    elements.push(comprehends ? comprehension(open, element) : element);
    if (!accept(Word::comma)) break;
  }
  while (at_ < tokens_.size() && !is(Word::close_curly) && !is(TokenKind::line_end)) skip_part();
  accept(Word::close_curly);
  if (comprehends && elements.size() == 1) return elements.all()[0];
  return add(row(dict ? NodeKind::dict : NodeKind::set, open), elements);
}

Parser::Index Parser::comprehension(const Token& from, Index element) {
  Children parts(*this);
  parts.push(element);
  while (begins_clause()) parts.push(for_clause());
  return add(leaf(NodeKind::comprehension, from), parts);
}

Parser::Index Parser::for_clause() {
  auto head = row(NodeKind::for_clause, token());
  if (accept(Word::async)) head.word = Word::async;
  ++at_;
  Children clause(*this);
  clause.push(expressions(true));
  accept(Word::in);
  clause.push(disjunction());
  while (accept(Word::if_)) clause.push(token(1).word == Word::becomes ? expression() : disjunction());
  return add(head, clause);
}

Parser::Index Parser::lambda() {
  const auto from = token();
  ++at_;
  Children parts(*this);
  parts.push(parameters(true));
  if (!accept(Word::colon)) return 0;
  parts.push(expression());
  return add(row(NodeKind::lambda, from), parts);
}

Parser::Index Parser::yield() {
  auto head = row(NodeKind::yield, token());
  ++at_;
  if (accept(Word::from)) head.word = Word::from;
  Children value(*this);
  value.push(ends_expression() ? 0 : expressions());
  return add(head, value);
}

/// Adjacent literals are one text.
Parser::Index Parser::strings() {
  const auto from = token();
  const auto first = open_literal(text(from));
  if (token(1).kind != TokenKind::string && !first.formatted) {
    ++at_;
    return add(leaf(NodeKind::literal, from));
  }
  Children parts(*this);
  for (; is(TokenKind::string); ++at_) {
    const auto one = token();
    const auto literal = open_literal(text(one));
    if (literal.templated)
      parts.push(0);
    else if (literal.formatted)
      formatted_string(one, parts);
    else
      parts.push(add(leaf(NodeKind::literal, one)));
  }
  return add(row(NodeKind::text, from), parts);
}

void Parser::formatted_string(const Token& whole, Children& into) {
  const auto literal = open_literal(text(whole));
  if (literal.inside.empty()) return;
  const auto begin = static_cast<std::size_t>(literal.inside.data() - tree_.text().data());
  fragments_and_fields(begin, begin + literal.inside.size(), whole.line, literal.raw, into);
}

void Parser::fragments_and_fields(std::size_t at, std::size_t end, std::uint32_t line, bool raw, Children& into) {
  const auto source = tree_.text();
  auto fragment = at;
  const auto finish = [&](std::size_t to) {
    if (to == fragment) return;
    Row piece;
    piece.kind = NodeKind::fragment;
    piece.word = raw ? Word::not_ : Word::none;
    piece.line = line;
    piece.begin = static_cast<std::uint32_t>(fragment), piece.size = static_cast<std::uint32_t>(to - fragment);
    into.push(add(piece));
  };
  while (at < end) {
    if (source[at] == '\n') ++line;
    if ((source[at] == '{' || source[at] == '}') && at + 1 < end && source[at + 1] == source[at]) {
      finish(at + 1);
      fragment = at += 2;
    } else if (source[at] == '{') {
      finish(at);
      const auto close = end_of_field(source, at, end);
      if (close == std::string_view::npos) return into.push(0);
      into.push(field(at + 1, close, line));
      fragment = at = close + 1;
    } else {
      ++at;
    }
  }
  finish(end);
}

/// A replacement field between its braces.
Parser::Index Parser::field(std::size_t begin, std::size_t end, std::uint32_t line) {
  const auto stop = end_of_expression(tree_.text(), begin, end);
  Row head;
  head.kind = NodeKind::field;
  head.line = line;
  head.begin = static_cast<std::uint32_t>(begin), head.size = static_cast<std::uint32_t>(stop - begin);
  const auto behind = tree_.text().substr(stop, end - stop);
  const bool has_format = behind.starts_with(':');
  if (!has_format && !behind.empty() && behind != "!s") head.word = Word::colon;
  if (stop > begin && tree_.text()[stop - 1] == '=') head.word = Word::colon;
  if (depth_ + 1 >= max_depth) return 0;
  bool complete = true;
  auto inner = scan(tree_.text(), {begin, stop, line, true}, budget_, complete);
  complete_ = complete_ && complete;
  std::swap(inner, tokens_);
  const auto at = std::exchange(at_, 0);
  ++depth_;
  Children value(*this);
  value.push(expressions());
  --depth_;
  std::swap(inner, tokens_);
  at_ = at;
  if (has_format) value.push(format_of_field(stop + 1, end, line));
  if (!complete_) give_up();
  return add(head, value);
}

Parser::Index Parser::format_of_field(std::size_t begin, std::size_t end, std::uint32_t line) {
  Row whole;
  whole.kind = NodeKind::text;
  whole.line = line;
  whole.begin = static_cast<std::uint32_t>(begin), whole.size = static_cast<std::uint32_t>(end - begin);
  ++depth_;
  Children parts(*this);
  fragments_and_fields(begin, end, line, false, parts);
  --depth_;
  return add(whole, parts);
}

}  // namespace cudald::python

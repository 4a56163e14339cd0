#include "pyimport/syntax/parser.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t nodes_at_once = 256;  ///< that are charged

}  // namespace

std::uint32_t Parser::parse(Excerpt part) {
  part.skips_bodies = true;  // function_suite() leaves them unread
  begin(part);
  return block(false);
}

std::uint32_t Parser::parse_body(const Excerpt& part) {
  begin(part);
  ++function_depth_;
  while (is(TokenKind::line_end) && at_ + 1 < tokens_.size()) ++at_;
  const bool indented = is(TokenKind::indent);
  if (indented) ++at_;
  const auto body = block(indented);
  --function_depth_;
  return body;
}

void Parser::begin(const Excerpt& part) {
  bool scanned = true;
  tokens_ = scan(tree_.text(), part, budget_, scanned, std::move(tokens_));
  complete_ = complete_ && scanned;
  at_ = 0;
  depth_ = 0;
}

Parser::Row Parser::row(NodeKind kind, const Token& from) const {
  Row row;
  row.kind = kind;
  row.line = from.line;
  row.begin = from.begin;
  row.size = from.size;
  return row;
}

/// A node of one token.
Parser::Row Parser::leaf(NodeKind kind, const Token& of) const {
  auto result = row(kind, of);
  result.word = of.word;
  return result;
}

Parser::Index Parser::add(Row row, Children& children) {
  const auto index = tree_.add(row, children.all());
  if (index % nodes_at_once == 0 && !budget_.step(nodes_at_once)) give_up();
  if (!budget_.keep(sizeof(Row) + children.size() * sizeof(Index))) give_up();
  return index;
}

Parser::Index Parser::add(Row row) {
  Children none(*this);
  return add(row, none);
}

/// The rest is left out.
void Parser::give_up() {
  complete_ = false;
  at_ = tokens_.size();
}

/// To the end of the line, which stays.
void Parser::skip_line() {
  while (at_ < tokens_.size() && !is(TokenKind::line_end)) ++at_;
}

/// Behind the bracket that closes the one at hand, or to the end of the line.
void Parser::skip_brackets() {
  int open = 0;
  for (; at_ < tokens_.size() && !is(TokenKind::line_end); ++at_) {
    if (opens(token().word)) ++open;
    if (closes(token().word) && --open <= 0) {
      ++at_;
      return;
    }
  }
}

/// One token, or all of a bracket.
void Parser::skip_part() {
  if (opens(token().word))
    skip_brackets();
  else
    ++at_;
}

}  // namespace cudald::python

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "pyimport/syntax/scanner.h"
#include "pyimport/syntax/syntax_tree.h"

namespace cudald::python {

/// Makes a tree of source text: Python 3.6 to 3.15, as far as it matters for what a module imports, and of Cython what
/// it imports. It never fails: what it cannot understand becomes a `missing` node, and it goes on behind that line.
/// Bodies of functions outside of functions are left unread.
/// Source: CPython Doc/reference/grammar.rst.
class Parser {
 public:
  /// `room`: of tokens that are read no more.
  Parser(SyntaxTree& tree, Budget& budget, std::vector<Token> room = {})
      : tree_(tree), budget_(budget), tokens_(std::move(room)) {}

  /// The block of all statements of this part of the text; its node.
  std::uint32_t parse(Excerpt);
  /// The same of a function's body: what is defined in it is read at once.
  std::uint32_t parse_body(const Excerpt&);
  /// Whether nothing was left out for want of room.
  bool complete() const { return complete_; }
  /// The first line that is not understood; 0 if there is none.
  std::uint32_t malformed() const { return malformed_; }
  std::vector<Token> take_room() { return std::move(tokens_); }

 private:
  using Row = SyntaxTree::Row;
  using Index = std::uint32_t;
  /// The children of a node that is being read, on the stack of all of them.
  class Children;
  friend class Children;

  // parser.cc: tokens and nodes
  void begin(const Excerpt&);
  const Token& token(std::size_t ahead = 0) const {
    static constexpr Token end{};
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end;
  }
  std::string_view text(const Token& token) const { return tree_.text().substr(token.begin, token.size); }
  bool is(Word word) const { return token().word == word; }
  bool is(TokenKind kind) const { return token().kind == kind; }
  bool accept(Word word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  Row row(NodeKind kind, const Token& from) const;
  Row leaf(NodeKind kind, const Token& of) const;
  Index named_pattern(Index pattern);
  Index add(Row row, Children& children);
  Index add(Row row);
  void give_up();
  void skip_line();
  void skip_brackets();
  void skip_part();

  // parse_statements.cc
  Index block(bool indented);
  void line(Children& into);
  Index simple_statement();
  Index type_alias();
  Index lazy_import();
  Index compound_statement();
  Index suite();
  Index function_suite();
  Index if_statement();
  Index loop(NodeKind);
  Index try_statement();
  Index handler();
  Index clause(NodeKind);
  Index with_statement();
  bool with_in_brackets() const;
  void with_items(Children& into, bool bracketed);
  Index with_item();
  Index match_statement();
  Index case_clause();
  bool ends_in_colon() const;
  Index decorated();
  Index class_definition(Index decorators);
  Index class_arguments();
  Index function_definition(Index decorators, bool asynchronous);
  std::optional<std::size_t> sign_of_declaration() const;
  Index cython_definition();
  Index parameters(bool of_lambda);
  Index parameter(bool of_lambda, bool keyword_only);
  Index import_statement();
  Index from_statement();
  Index imported_name();
  Index dotted_name();
  Index name_or_missing();
  Index expression_statement();
  Index with_optional_values(NodeKind, std::size_t most, Word separator);
  Index named_list(NodeKind);

  // parse_expressions.cc
  Index expressions(bool targets = false);
  Index expression();
  Index expression_inner();
  Index too_deep();
  Index target();
  Index starred_or_expression();
  Index disjunction();
  Index conjunction();
  Index negation();
  Index comparison();
  std::optional<Word> comparison_operator();
  Index operation(int rank);
  Index unary();
  Index power();
  Index primary();
  Index atom();
  Index call(Index callee, const Token& from);
  void call_arguments(Children& into);
  Index argument();
  bool begins_clause() const;
  Index subscript(Index owner, const Token& from);
  Index slice();
  Index bracketed();
  Index braces();
  Index comprehension(const Token& from, Index element);
  Index for_clause();
  Index lambda();
  Index yield();
  Index strings();
  void formatted_string(const Token&, Children& into);
  void fragments_and_fields(std::size_t begin, std::size_t end, std::uint32_t line, bool raw, Children& into);
  Index field(std::size_t begin, std::size_t end, std::uint32_t line);
  Index format_of_field(std::size_t begin, std::size_t end, std::uint32_t line);
  bool ends_expression() const;

  SyntaxTree& tree_;
  Budget& budget_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Index> pending_;
  bool in_pattern_ = false;  ///< of `case`, where any part may have a name behind `as`
  int depth_ = 0, function_depth_ = 0;
  bool too_deep_ = false;  ///< the statement at hand holds an expression of that kind
  bool complete_ = true;
  std::uint32_t malformed_ = 0;
  void note_malformed(const Token& at) {
    // Of what is nested too deeply, and of what was left out, nobody knows.
    if (malformed_ == 0 && !too_deep_ && complete_) malformed_ = std::max(at.line, 1U);
  }
};

class Parser::Children {
 public:
  explicit Children(Parser& parser) : pending_(parser.pending_), mark_(parser.pending_.size()) {}
  ~Children() { pending_.resize(mark_); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  void push(Index node) { pending_.push_back(node); }
  std::size_t size() const { return pending_.size() - mark_; }
  std::span<const Index> all() const { return std::span(pending_).subspan(mark_); }

 private:
  std::vector<Index>& pending_;
  std::size_t mark_;
};

}  // namespace cudald::python

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "pyimport/syntax/scanner.h"

namespace cudald::python {

/// What a node of the tree is; behind each kind stand its children. What is left out in the source is a `missing`.
enum class NodeKind : std::uint8_t {
  missing,   ///< nothing stands here, or nothing that could be understood
  too_deep,  ///< an expression that is nested deeper than is followed

  // Expressions
  name,
  number,
  true_,
  false_,
  none,
  ellipsis,
  literal,         ///< one string literal without replacement fields, with its prefix and quotes
  fragment,        ///< text of an f-string between its fields; word() is `not_` if it is raw
  field,           ///< of an f-string: expression, format as a text; word() is `colon` if it is written otherwise
  text,            ///< literal, fragment, field...: adjacent literals are one text
  tuple,           ///< element...
  list,            ///< element...
  set,             ///< element...
  dict,            ///< pair, double_starred...
  pair,            ///< key, value
  starred,         ///< expression
  double_starred,  ///< expression
  attribute,       ///< owner; text() is the attribute's name
  call,            ///< callee, argument...: expressions, starred, double_starred, keyword
  keyword,         ///< expression; text() is its name
  subscript,       ///< owner, index
  slice,           ///< from, to, step
  negation,        ///< operand
  sign,            ///< operand; word() is `plus`, `minus` or `tilde`
  await,           ///< operand
  operator_,       ///< word() says which
  operation,       ///< operand, operator, operand...: of one precedence, from the left
  comparison,      ///< operand, operator, operand...
  conjunction,     ///< operand...
  disjunction,     ///< operand...
  conditional,     ///< test, value if it holds, value if it does not
  lambda,          ///< parameters, expression
  named,           ///< name, expression: `name := expression`
  yield,           ///< expression; word() is `from` for `yield from`
  comprehension,   ///< element or pair, clause...; word() is its opening bracket
  for_clause,      ///< target, iterable, condition...; word() is `async` if it is so

  // Statements; an expression is one too
  block,          ///< statement...
  assignment,     ///< value, target...
  augmented,      ///< target, value; text() is the sign
  annotated,      ///< target, annotation, value
  import,         ///< imported_name...
  from_import,    ///< dotted_name, imported_name...; level() is the number of dots before it
  lazy,           ///< import or from_import: `lazy import a` (PEP 810)
  cimport,        ///< as `import`, or if word() is `from` as `from_import`
  include,        ///< literal: of Cython
  imported_name,  ///< dotted_name, name behind `as`; text() of the former is "*" for all
  dotted_name,
  return_,  ///< value
  raise,    ///< exception, cause
  break_,
  continue_,
  pass,         ///< also declarations of Cython
  delete_,      ///< target...
  global,       ///< name...
  nonlocal,     ///< name...
  assert_,      ///< test, message
  if_,          ///< test, block, test, block..., and the block behind `else`
  while_,       ///< test, block, block behind `else`
  for_,         ///< target, iterable, block, block behind `else`
  try_,         ///< block, handler..., else_, finally_
  handler,      ///< exceptions, name, block
  else_,        ///< block
  finally_,     ///< block
  with,         ///< item..., block; word() is `async` if it is so
  item,         ///< expression, target
  match,        ///< subject, case_...
  case_,        ///< pattern as an expression, guard, block
  class_,       ///< name, decorators, arguments as of a call, block; level() is 1 if it has type parameters
  function,     ///< name, decorators, parameters, annotation of the result, body; word() is `async` if it is so,
                ///< level() is 1 if it has type parameters
  decorators,   ///< expression...
  arguments,    ///< argument...
  parameters,   ///< parameter...
  parameter,    ///< annotation, default; text() is the name; word(): `star`, `stars`, `at` if only by keyword
  unread_body,  ///< the body of a function that nobody has asked for: see Source::body
};

class SyntaxTree;

/// A node of a tree that is still there; cheap to copy.
class Node {
 public:
  Node() = default;
  Node(const SyntaxTree& tree, std::uint32_t index) : tree_(&tree), index_(index) {}

  NodeKind kind() const;
  bool is(NodeKind kind) const { return this->kind() == kind; }
  bool there() const { return kind() != NodeKind::missing; }
  Word word() const;
  std::uint32_t line() const;
  std::uint32_t level() const;
  /// As it stands in the source: of a name, a number, a literal, a fragment, a field, an attribute, a keyword, a
  /// parameter, a sign of `augmented` and a dotted name; of others nothing.
  std::string_view text() const;
  /// Which part of the source the body of a function is, an `unread_body`.
  Excerpt excerpt() const;
  std::size_t size() const;  ///< number of children
  Node operator[](std::size_t i) const;
  Node back() const { return (*this)[size() - 1]; }
  /// Of two nodes of trees that are still there, the same only if they are the same.
  using Id = std::pair<const SyntaxTree*, std::uint32_t>;
  Id id() const { return {tree_, index_}; }

  class Iterator {
   public:
    Iterator(const Node& of, std::size_t at) : of_(&of), at_(at) {}
    Node operator*() const { return (*of_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Node* of_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  const SyntaxTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

/// The nodes of one source, each written once, children before their parents.
class SyntaxTree {
 public:
  struct Row {
    NodeKind kind = NodeKind::missing;
    Word word = Word::none;
    std::uint16_t level = 0;
    std::uint32_t line = 0;
    std::uint32_t begin = 0, size = 0;         ///< bytes of the text
    std::uint32_t first_child = 0, count = 0;  ///< in children()
  };

  explicit SyntaxTree(std::string_view text) { begin(text); }
  /// The same nodes, in no more room than they take; with texts of their own unless the source is kept.
  SyntaxTree(const SyntaxTree&, bool source_is_kept);
  SyntaxTree(const SyntaxTree&) = delete;
  SyntaxTree& operator=(SyntaxTree&&) = default;

  std::uint32_t add(Row row, std::span<const std::uint32_t> children);
  /// Begins anew in the room that it has.
  void begin(std::string_view text);
  const Row& row(std::uint32_t index) const { return rows_[index]; }
  std::uint32_t child(const Row& row, std::size_t i) const { return children_[row.first_child + i]; }
  std::string_view text() const { return text_; }
  /// What it takes, its texts apart.
  std::size_t bytes() const { return rows_.size() * sizeof(Row) + children_.size() * sizeof(std::uint32_t); }
  std::size_t bytes_of_texts() const { return own_texts_.size(); }

 private:
  std::string_view text_;  ///< where those of the rows stand: all of the source, or what is below
  std::vector<char> own_texts_;
  std::vector<Row> rows_;  ///< the first is the `missing` node
  std::vector<std::uint32_t> children_;
};

inline NodeKind Node::kind() const { return tree_ == nullptr ? NodeKind::missing : tree_->row(index_).kind; }
inline Word Node::word() const { return tree_->row(index_).word; }
inline std::uint32_t Node::line() const { return tree_->row(index_).line; }
inline std::uint32_t Node::level() const { return tree_->row(index_).level; }
inline std::string_view Node::text() const {
  const auto& row = tree_->row(index_);
  return tree_->text().substr(row.begin, row.size);
}
inline Excerpt Node::excerpt() const {
  const auto& row = tree_->row(index_);
  return {row.begin, std::size_t{row.begin} + row.size, row.line};
}
inline std::size_t Node::size() const { return tree_ == nullptr ? 0 : tree_->row(index_).count; }
inline Node Node::operator[](std::size_t i) const {
  const auto& row = tree_->row(index_);
  return i < row.count ? Node(*tree_, tree_->child(row, i)) : Node(*tree_, 0);
}

/// A dotted name without the blanks that may stand in it.
std::string plain_dotted_name(const Node&);
/// Whether these statements have a node of that kind, but for those of functions and classes in them.
bool has_node(const Node& block, NodeKind);

}  // namespace cudald::python

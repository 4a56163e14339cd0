#include "pyimport/syntax/syntax_tree.h"

#include <string>

namespace cudald::python {
namespace {

bool has_text(NodeKind kind) {
  switch (kind) {
    case NodeKind::name:
    case NodeKind::number:
    case NodeKind::literal:
    case NodeKind::fragment:
    case NodeKind::field:
    case NodeKind::attribute:
    case NodeKind::keyword:
    case NodeKind::parameter:
    case NodeKind::augmented:
    case NodeKind::dotted_name: return true;
    default: return false;
  }
}

}  // namespace

SyntaxTree::SyntaxTree(const SyntaxTree& made, bool source_is_kept)
    : text_(made.text_), rows_(made.rows_), children_(made.children_) {
  if (source_is_kept) return;
  std::size_t size = 0;
  for (const auto& row : rows_) size += has_text(row.kind) ? row.size : 0;
  own_texts_.reserve(size);
  for (auto& row : rows_) {
    if (row.kind == NodeKind::unread_body) continue;
    const auto text = made.text_.substr(row.begin, has_text(row.kind) ? row.size : 0);
    row.begin = static_cast<std::uint32_t>(own_texts_.size());
    row.size = static_cast<std::uint32_t>(text.size());
    own_texts_.insert(own_texts_.end(), text.begin(), text.end());
  }
  text_ = {own_texts_.data(), own_texts_.size()};
}

std::uint32_t SyntaxTree::add(Row row, std::span<const std::uint32_t> children) {
  row.first_child = static_cast<std::uint32_t>(children_.size());
  row.count = static_cast<std::uint32_t>(children.size());
  children_.insert(children_.end(), children.begin(), children.end());
  rows_.push_back(row);
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

void SyntaxTree::begin(std::string_view text) {
  text_ = text;
  rows_.clear();
  rows_.emplace_back();
  children_.clear();
}

std::string plain_dotted_name(const Node& node) {
  std::string name;
  for (const char c : node.text())
    if (c == '.' || is_name_part(c)) name += c;
  return name;
}

bool has_node(const Node& node, NodeKind kind) {
  if (node.is(kind)) return true;
  if (node.is(NodeKind::function) || node.is(NodeKind::class_) || node.is(NodeKind::lambda)) return false;
  for (const auto child : node)
    if (has_node(child, kind)) return true;
  return false;
}

}  // namespace cudald::python

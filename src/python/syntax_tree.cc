#include "python/syntax_tree.h"

#include <string>

namespace cudald::python {

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

bool has_yield(const Node& node) {
  switch (node.kind()) {
    case NodeKind::yield: return true;
    case NodeKind::function:
    case NodeKind::class_:
    case NodeKind::lambda: return false;
    default:
      for (const auto child : node)
        if (has_yield(child)) return true;
      return false;
  }
}

}  // namespace cudald::python

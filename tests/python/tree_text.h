#pragma once

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "pyimport/sources/source.h"

namespace cudald::python {

constexpr const char* node_names[] = {"missing",
                                      "too_deep",
                                      "name",
                                      "number",
                                      "true",
                                      "false",
                                      "none",
                                      "ellipsis",
                                      "literal",
                                      "fragment",
                                      "field",
                                      "text",
                                      "tuple",
                                      "list",
                                      "set",
                                      "dict",
                                      "pair",
                                      "starred",
                                      "double_starred",
                                      "attribute",
                                      "call",
                                      "keyword",
                                      "subscript",
                                      "slice",
                                      "negation",
                                      "sign",
                                      "await",
                                      "operator",
                                      "operation",
                                      "comparison",
                                      "conjunction",
                                      "disjunction",
                                      "conditional",
                                      "lambda",
                                      "named",
                                      "yield",
                                      "comprehension",
                                      "for_clause",
                                      "block",
                                      "assignment",
                                      "augmented",
                                      "annotated",
                                      "import",
                                      "from_import",
                                      "lazy",
                                      "cimport",
                                      "include",
                                      "imported_name",
                                      "dotted_name",
                                      "return",
                                      "raise",
                                      "break",
                                      "continue",
                                      "pass",
                                      "delete",
                                      "global",
                                      "nonlocal",
                                      "assert",
                                      "if",
                                      "while",
                                      "for",
                                      "try",
                                      "handler",
                                      "else",
                                      "finally",
                                      "with",
                                      "item",
                                      "match",
                                      "case",
                                      "class",
                                      "function",
                                      "decorators",
                                      "arguments",
                                      "parameters",
                                      "parameter",
                                      "unread_body"};

inline void print(const Source& source, const Node& node, std::ostream& out) {
  using enum NodeKind;
  if (node.is(literal) || node.is(text)) {
    out << "text";
    bool formatted = false;
    for (const auto part : node)
      if (part.is(field)) out << (std::exchange(formatted, true) ? "" : "("), print(source, part[0], out), out << ' ';
    if (formatted) out << ')';
    return;
  }
  out << node_names[static_cast<std::size_t>(node.kind())];
  if (node.is(name) || node.is(attribute) || node.is(keyword) || node.is(parameter)) out << ':' << node.text();
  if (node.is(dotted_name)) out << ':' << plain_dotted_name(node);
  if (node.is(from_import)) out << ':' << node.level();
  if (node.size() == 0) return;
  out << '(';
  for (std::size_t i = 0; i < std::max<std::size_t>(node.size(), node.is(slice) ? 3 : 0); ++i) {
    if (i > 0) out << ' ';
    print(source, node.is(function) && i + 1 == node.size() ? source.body(node) : node[i], out);
  }
  out << ')';
}

/// A line for each statement, "7 pass", in the form of tests/python/syntax_tree.py.
inline std::string tree_text(const Source& source) {
  std::ostringstream out;
  for (const auto statement : source.block()) {
    out << statement.line() << ' ';
    print(source, statement, out);
    out << '\n';
  }
  return out.str();
}

}  // namespace cudald::python

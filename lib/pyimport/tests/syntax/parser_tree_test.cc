#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "python/tree_text.h"

namespace cudald {

/// tests/python/trees.txt, which tests/python/syntax_tree.py holds against Python's own ast.
std::string_view embedded_trees();

TEST_CASE("each statement has the tree that Python's ast has") {
  const std::string_view all = embedded_trees(), begin = "\n== source\n", middle = "\n== tree\n";
  std::size_t sections = 0;
  for (auto at = all.find(begin); at != std::string_view::npos; ++sections) {
    const auto source_at = at + begin.size(), tree_at = all.find(middle, source_at) + middle.size();
    at = all.find(begin, tree_at);
    const auto text = all.substr(source_at, tree_at - middle.size() + 1 - source_at);
    const auto tree = all.substr(tree_at, at == std::string_view::npos ? at : at + 1 - tree_at);
    CAPTURE(text);
    Budget budget;
    CHECK(python::tree_text(*python::Source::parse("m.py", std::string(text), budget)) == tree);
  }
  CHECK(sections > 10);
}

}  // namespace cudald

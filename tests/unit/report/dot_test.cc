#include <doctest/doctest.h>

#include "unit/report/documents.h"

namespace cudald {
namespace {

TEST_CASE("a cluster for each question, with who asks for what") {
  const auto text = document(make_dot_writer(), {failing_report(), healthy_report()});
  CHECK(text.starts_with("digraph cudald {\n"));
  CHECK(text.find("label=\"./app: FAILS\"") != std::string::npos);
  CHECK(text.find("subgraph cluster_1") != std::string::npos);
  CHECK(text.find("r0n1 -> r0n4 [label=\"not found\", color=\"#c00000\"") != std::string::npos);
}

TEST_CASE("names that mean harm stay within their quotes") {
  const auto text = document(make_dot_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  // Quotes that are not escaped come in pairs on each line.
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      ++quotes;
    else if (text[i] == '\n')
      CHECK(quotes % 2 == 0);
  }
}

}  // namespace
}  // namespace cudald

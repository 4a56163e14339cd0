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

TEST_CASE("a graph has a cluster for each question, its files as they look, and lines by what came of them") {
  CHECK(document(make_dot_writer(), {varied_report(), healthy_report()}) ==
        R"(digraph cudald {
  rankdir=LR;
  node [shape=box, fontname="sans-serif", fontsize=10];
  edge [fontname="sans-serif", fontsize=8];
  subgraph cluster_0 {
    label="./app: FAILS";
    r0n0 [label="app\n/opt/app/bin", style="filled,bold", fillcolor="#dbe9ff"];
    r0n1 [label="libfoo.so.1.2\n/opt/app/lib", style=filled, fillcolor="#f4f4f4"];
    r0n2 [label="libc.so.6\n/lib/x86_64-linux-gnu", style=filled, fillcolor="#f4f4f4"];
    r0n3 [label="ld-linux-x86-64.so.2\n/lib/x86_64-linux-gnu", style=filled, fillcolor=white, color="#999999", )"
        R"(fontcolor="#555555"];
    r0n4 [label="libsoft.so", style="filled,dashed", fillcolor="#ffe3e3", color="#c00000"];
    r0n5 [label="librefused.so", style="filled,dashed", fillcolor="#ffe3e3", color="#c00000"];
    r0n6 [label="libuse.so", style=filled, fillcolor="#f4f4f4"];
    r0n7 [label="libcudart.so.12", style="filled,dashed", fillcolor="#ffe3e3", color="#c00000"];
    r0n0 -> r0n5 [label="refused", color="#c00000", fontcolor="#c00000", penwidth=2];
    r0n1 -> r0n7 [label="not found", color="#c00000", fontcolor="#c00000", penwidth=2];
    r0n0 -> r0n4 [label="dlopen, not found", color="#c00000", fontcolor="#c00000", penwidth=2, style=dashed];
    r0n0 -> r0n1 [label="rpath"];
    r0n0 -> r0n2 [label="cache"];
    r0n1 -> r0n2 [label=""];
    r0n2 -> r0n3 [label=""];
    r0n0 -> r0n6 [label="dlopen, on use", style=dashed];
  }
  subgraph cluster_1 {
    label="./app: LOADS";
    r1n0 [label="app\n/opt/app/bin", style="filled,bold", fillcolor="#dbe9ff"];
    r1n1 [label="libfoo.so.1.2\n/opt/app/lib", style=filled, fillcolor="#f4f4f4"];
    r1n2 [label="libc.so.6\n/lib/x86_64-linux-gnu", style=filled, fillcolor=white, color="#999999", )"
        R"(fontcolor="#555555"];
    r1n3 [label="ld-linux-x86-64.so.2\n/lib/x86_64-linux-gnu", style=filled, fillcolor=white, color="#999999", )"
        R"(fontcolor="#555555"];
    r1n4 [label="libcudart.so.12\n/opt/cuda/lib", style=filled, fillcolor="#f4f4f4"];
    r1n0 -> r1n1 [label="rpath"];
    r1n0 -> r1n2 [label="cache"];
    r1n1 -> r1n4 [label="runpath"];
    r1n1 -> r1n2 [label=""];
    r1n2 -> r1n3 [label=""];
    r1n4 -> r1n2 [label=""];
  }
}
)");
}

TEST_CASE("of very many requests twenty thousand are drawn, and the rest is counted") {
  auto report = healthy_report();
  auto& edges = report.resolution.objects[2].edges;
  auto edge = edges[0];
  while (edges.size() < 19995) {
    edge.name = "l" + std::to_string(edges.size());
    edges.push_back(edge);
  }
  CHECK(document(make_dot_writer(), {report}).find("left out") == std::string::npos);
  edge.name = "m";
  edges.push_back(edge);
  CHECK(document(make_dot_writer(), {report}).ends_with("\n    // 1 more requests are left out\n  }\n}\n"));
}

}  // namespace
}  // namespace cudald

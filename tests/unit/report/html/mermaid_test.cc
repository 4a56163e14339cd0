#include <doctest/doctest.h>

#include <regex>

#include "base/path.h"
#include "unit/report/documents.h"

namespace cudald {
namespace {

/// The part of Mermaid's grammar that we write.
bool is_line_of_flowchart(const std::string& line) {
  static const std::regex forms(
      "flowchart LR|  end|"
      "  subgraph r[0-9]+\\[\"[^\"`]*\"\\]|"
      "    r[0-9]+(n[0-9]+|more)\\[\"[^\"`]*\"\\](:::[a-z]+)?|"
      "    r[0-9]+n[0-9]+ (-->|-\\.->)(\\|\"[^\"`]*\"\\|)? r[0-9]+n[0-9]+|"
      "  classDef [a-z]+ [a-z:#0-9,-]+|");
  return std::regex_match(line, forms);
}

TEST_CASE("every line is one of a flowchart, whatever the names") {
  for (const auto& report : {failing_report(), hostile_report()}) {
    const auto text = document(make_mermaid_writer(), {report, healthy_report()});
    CHECK(is_harmless(text));
    for (const auto line : split(text, "\n")) {
      CAPTURE(line);
      CHECK(is_line_of_flowchart(std::string(line)));
    }
  }
}

TEST_CASE("no more is written than Mermaid draws; what fails stays") {
  auto large = failing_report();
  auto& objects = large.resolution.objects;
  for (std::size_t i = 0; i < 2000; ++i) {
    Edge edge;
    edge.name = "lib" + std::to_string(i) + ".so";
    edge.status = EdgeStatus::already_loaded;
    edge.object = 2;
    objects[0].edges.push_back(edge);
  }
  const auto text = document(make_mermaid_writer(), {large});
  CHECK(text.size() < 50500);
  CHECK(text.find("|\"not found\"|") != std::string::npos);
  CHECK(text.find("more requests are left out") != std::string::npos);
}

TEST_CASE("a chart has a part for each question: targets, then what is asked for, with how and by which rule") {
  CHECK(document(make_mermaid_writer(), {varied_report(), healthy_report()}) ==
        R"(flowchart LR
  subgraph r0["./app: FAILS"]
    r0n0["app"]:::target
    r0n5["librefused.so"]:::missing
    r0n0 -->|"refused"| r0n5
    r0n1["libfoo.so.1.2"]:::found
    r0n7["libcudart.so.12"]:::missing
    r0n1 -->|"not found"| r0n7
    r0n4["libsoft.so"]:::missing
    r0n0 -.->|"dlopen, not found"| r0n4
    r0n0 -->|"rpath"| r0n1
    r0n2["libc.so.6"]:::found
    r0n0 -->|"cache"| r0n2
    r0n1 --> r0n2
    r0n3["ld-linux-x86-64.so.2"]:::system
    r0n2 --> r0n3
    r0n6["libuse.so"]:::found
    r0n0 -.->|"dlopen, on use"| r0n6
  end
  subgraph r1["./app: LOADS"]
    r1n0["app"]:::target
    r1n1["libfoo.so.1.2"]:::found
    r1n0 -->|"rpath"| r1n1
    r1n2["libc.so.6"]:::system
    r1n0 -->|"cache"| r1n2
    r1n4["libcudart.so.12"]:::found
    r1n1 -->|"runpath"| r1n4
    r1n1 --> r1n2
    r1n3["ld-linux-x86-64.so.2"]:::system
    r1n2 --> r1n3
    r1n4 --> r1n2
  end
  classDef target fill:#dbe9ff,stroke:#335,stroke-width:2px,color:#000
  classDef found fill:#f4f4f4,stroke:#666,color:#000
  classDef system fill:#fff,stroke:#999,color:#555
  classDef missing fill:#ffe3e3,stroke:#c00000,stroke-dasharray:4,color:#900
)");
}

TEST_CASE("a target that asks for nothing is drawn") {
  auto report = failing_report();
  report.resolution.objects.resize(1);
  report.resolution.objects[0].edges.clear();
  CHECK(document(make_mermaid_writer(), {report})
            .starts_with("flowchart LR\n  subgraph r0[\"./app: FAILS\"]\n    r0n0[\"app\"]:::target\n  end\n"));
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// A target that asks for so many libraries, with names that are as long.
Report asking_for(std::size_t count, std::size_t length) {
  auto report = failing_report();
  auto& objects = report.resolution.objects;
  objects.resize(1);
  objects[0].edges.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Edge edge;
    edge.name = std::to_string(100000 + i) + std::string(length, 'x');
    objects[0].edges.push_back(edge);
  }
  return report;
}

TEST_CASE("what a chart has no room for is counted, and whatever is drawn has its name") {
  struct Row {
    std::size_t edges, length, drawn;
  };
  // 490 edges in all, or 49,000 characters.
  for (const auto& row : {Row{490, 1, 490}, Row{491, 1, 490}, Row{700, 1, 490}, Row{400, 500, 86}}) {
    CAPTURE(row.edges);
    const auto text = document(make_mermaid_writer(), {asking_for(row.edges, row.length)});
    CHECK(count_of(text, " --> ") + count_of(text, " -->|") == row.drawn);
    CHECK(count_of(text, "]:::missing\n") == row.drawn);
    const auto left_out = row.edges - row.drawn;
    const auto more = "    r0more[\"" + std::to_string(left_out) + " more requests are left out\"]\n";
    CHECK(count_of(text, more) == (left_out == 0 ? 0 : 1));
    CHECK(text.size() < 49600);
  }
  // Several questions share that.
  const auto both = document(make_mermaid_writer(), {asking_for(480, 1), asking_for(20, 1)});
  CHECK(count_of(both, "]:::missing\n") == 490);
  CHECK(both.find("    r1more[\"10 more requests are left out\"]\n") != std::string::npos);
  // Who asks for what was left out once is left out as well: that node would have no name.
  auto twice = asking_for(100, 900);
  auto& objects = twice.resolution.objects;
  objects.push_back(objects[0]);
  objects[1].path = "/opt/other";
  const auto text = document(make_mermaid_writer(), {twice});
  for (const auto line : split(text, "\n"))
    if (const auto to = line.rfind(' '); line.find(" -->|") != std::string_view::npos)
      CHECK(text.find("    " + std::string(line.substr(to + 1)) + "[") != std::string::npos);
}

TEST_CASE("the line that counts what a chart has no room for always has room itself") {
  for (std::size_t length = 80; length < 200; ++length) {
    CAPTURE(length);
    const auto text = document(make_mermaid_writer(), {asking_for(490, length)});
    const auto drawn = count_of(text, "]:::missing\n");
    CHECK(drawn < 490);
    CHECK(text.find("  subgraph r0[") != std::string::npos);
    CHECK(text.find("    r0more[\"" + std::to_string(490 - drawn) + " more requests are left out\"]\n  end\n") !=
          std::string::npos);
    CHECK(text.find("  classDef ") < 49050);
  }
}

TEST_CASE("questions for which a chart has no room at all are left out as a whole") {
  std::vector<Report> reports(30, healthy_report());
  reports.insert(reports.begin(), asking_for(80, 500));
  const auto text = document(make_mermaid_writer(), reports);
  const auto drawn = count_of(text, "  subgraph ");
  CHECK(drawn > 1);
  CHECK(drawn < 31);
  CHECK(count_of(text, "\n  end\n") == drawn);
  const auto end = text.find("  classDef ");
  const std::string head = "flowchart LR\n";
  // The line that ends a question is not counted.
  CHECK(end - head.size() <= 49000 + drawn * 6);
  CHECK(end - head.size() > 48000);
}

}  // namespace
}  // namespace cudald

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

}  // namespace
}  // namespace cudald

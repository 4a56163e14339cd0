// What each format is like: for whom, for how many answers, and whether it tells all.

#include "cli/options/formats.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("each format is known by its name and is like this") {
  std::string table;
  for (const auto& rule : format_table()) {
    table += std::string(rule.name) + ":";
    if (rule.for_people) table += " for people";
    if (rule.tells_all) table += " tells all";
    if (rule.one_document) table += " one answer";
    if (rule.of_all) table += " all answers";
    if (rule.as_they_come) table += " as they come";
    if (rule.holds_bindings) table += " bindings";
    table += "\n";
    CHECK(&rule_of(rule.format) == &rule);
    CHECK(find_format(rule.name) == rule.format);
  }
  CHECK(table ==
        "text: for people\n"
        "json: tells all one answer bindings\n"
        "ndjson: tells all as they come bindings\n"
        "sarif: tells all all answers\n"
        "junit: tells all all answers\n"
        "github: tells all all answers\n"
        "markdown: tells all all answers\n"
        "html: tells all all answers\n"
        "dot: all answers\n"
        "mermaid: all answers\n"
        "cyclonedx: all answers\n");
  CHECK_FALSE(find_format("xml"));
}

TEST_CASE("the names of the table are those that --format lists") {
  std::string names;
  for (const auto& rule : format_table()) names += (names.empty() ? "" : "|") + std::string(rule.name);
  CHECK(names == format_names);
}

}  // namespace
}  // namespace cudald

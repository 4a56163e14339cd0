#include <algorithm>
#include <cctype>
#include <set>

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("codes are well formed, sorted and unique") {
  const auto catalogue = finding_catalogue();
  REQUIRE_FALSE(catalogue.empty());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const std::string_view code = catalogue[i].code;
    CAPTURE(code);
    CHECK(code.size() == 6);
    CHECK(code.starts_with("CUD"));
    CHECK(std::all_of(code.begin() + 3, code.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
    if (i > 0) CHECK(catalogue[i - 1].code < code);
    CHECK(names.insert(catalogue[i].name).second);
  }
}

TEST_CASE("each finding has a page") {
  for (const FindingRule& rule : finding_catalogue()) {
    CAPTURE(rule.code);
    CHECK(std::all_of(rule.name.begin(), rule.name.end(),
                      [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }));
    CHECK(rule.summary.ends_with('.'));
    CHECK(rule.summary.find('\n') == std::string_view::npos);
    CHECK(rule.explanation.find("Source: ") != std::string_view::npos);
    CHECK(rule.explanation.size() > 100);
    CHECK(rule.example.starts_with("  "));
    CHECK_FALSE(rule.remedy.empty());
    const std::string page = written([&](std::ostream& out) { write_rule(&rule, plain_style(), out); });
    CHECK(page.starts_with(std::string(to_string(rule.level)) + "[" + std::string(rule.code) + "] " +
                           std::string(rule.name)));
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 100);  // examples keep their lines
    }
  }
}

TEST_CASE("a rule is found by code and by name, in any case") {
  REQUIRE(find_rule("CUD101") != nullptr);
  CHECK(find_rule("CUD101")->name == "library-not-found");
  CHECK(find_rule("cud101") == find_rule("CUD101"));
  CHECK(find_rule("Library-Not-Found") == find_rule("CUD101"));
  CHECK(find_rule("CUD1") == nullptr);
  CHECK(find_rule("") == nullptr);
}

TEST_CASE("the list names all in one line each") {
  const std::string list = written([](std::ostream& out) { write_rule(nullptr, plain_style(), out); });
  CHECK(static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n')) == finding_catalogue().size());
  for (const FindingRule& rule : finding_catalogue()) CHECK(list.find(rule.code) != std::string::npos);
}

TEST_CASE("what no rule of the catalogue makes has the usual traits") {
  Finding finding;
  finding.code = "none";
  const auto traits = traits_of(finding);
  CHECK(traits.verdict == VerdictEffect::by_level);
  CHECK(traits.place == FindingPlace::by_level);
  CHECK_FALSE(traits.about_driver);
  CHECK_FALSE(traits.lacks_driver);
  CHECK_FALSE(traits.told_in_full);
  CHECK_FALSE(traits.speaks_for_all);
}

}  // namespace
}  // namespace cudald

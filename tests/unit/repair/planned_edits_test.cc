#include "repair/planned_edits.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "unit/binary/image_of.h"

namespace cudald {
namespace {

using Kind = FileEdit::Kind;

Finding finding(Level level, std::vector<std::vector<FileEdit>> fixes) {
  Finding finding;
  finding.level = level;
  for (auto& edits : fixes) {
    Fix fix;
    fix.edits = std::move(edits);
    finding.fixes.push_back(std::move(fix));
  }
  return finding;
}

/// A report about /a, whose search path is the given one.
Report report_about(std::optional<std::string> runpath, std::vector<Finding> findings) {
  Report report;
  Object object;
  object.path = "/a";
  object.image = image_of({.runpath = std::move(runpath)});
  report.resolution.objects.push_back(std::move(object));
  report.findings = std::move(findings);
  return report;
}

TEST_CASE("edits of one file are collected, each once") {
  EditPlan plan{{"/a", {}}};
  const auto report = report_about(
      "$ORIGIN", {finding(Level::error, {{{"/a", Kind::add_directory, "$ORIGIN/lib"}}}),
                  finding(Level::error, {{{"/a", Kind::add_directory, "$ORIGIN/lib"}}}),
                  finding(Level::warning, {{{"/a", Kind::rename_needed, "b", "a"}, {"/a", Kind::add_needed, "c"}}}),
                  finding(Level::error, {{{"/a", Kind::clear_executable_stack}}})});
  CHECK(add_edits(report, plan));
  CHECK(plan["/a"] == ElfEdits{.search_path = "$ORIGIN:$ORIGIN/lib",
                               .renamed = {{"a", "b"}},
                               .added = {"c"},
                               .clear_executable_stack = true});
  CHECK_FALSE(add_edits(report, plan));
  const auto later = report_about({}, {finding(Level::error, {{{"/a", Kind::rename_needed, "bb", "b"}}})});
  CHECK(add_edits(later, plan));
  CHECK(plan["/a"].renamed == ElfEdits{.renamed = {{"a", "bb"}}}.renamed);
}

TEST_CASE("a whole search path comes before what is added to it") {
  EditPlan plan{{"/a", {}}};
  CHECK(
      add_edits(report_about("/build/lib:/opt", {finding(Level::error, {{{"/a", Kind::add_directory, "$ORIGIN/lib"}}}),
                                                 finding(Level::note, {{{"/a", Kind::set_directories, "/opt"}}})}),
                plan));
  CHECK(plan["/a"].search_path == "/opt:$ORIGIN/lib");
}

TEST_CASE("a file without a search path gets one") {
  EditPlan plan{{"/a", {}}};
  CHECK(add_edits(report_about({}, {finding(Level::error, {{{"/a", Kind::add_directory, "/x"}}})}), plan));
  CHECK(plan["/a"].search_path == "/x");
}

TEST_CASE("the first fix counts that changes only files of the plan, and what is only noted stays") {
  EditPlan plan{{"/a", {}}};
  const auto report = report_about(
      {}, {finding(Level::error, {{},
                                  {{"/other", Kind::add_needed, "x"}},
                                  {{"/a", Kind::add_needed, "first"}},
                                  {{"/a", Kind::add_needed, "second"}}}),
           finding(Level::note, {{{"/a", Kind::add_needed, "noted"}}}),
           finding(Level::error, {{{"/a", Kind::add_needed, "half"}, {"/other", Kind::add_needed, "x"}}})});
  CHECK(add_edits(report, plan));
  CHECK(plan["/a"].added == std::vector<std::string>{"first"});
  const auto others = edits_of_other_files(report, plan);
  REQUIRE(others.size() == 1);
  CHECK(others.front().path == "/other");
  CHECK(others.front().finding == &report.findings[2]);
}

TEST_CASE("requirements are added to a wheel only, with the edits that belong to them, each once") {
  auto one = finding(Level::error, {{{"/a", Kind::add_directory, "$ORIGIN/../b"}}});
  one.fixes[0].requirements = {"b>=1,<2"};
  auto other = finding(Level::error, {{}});
  other.fixes[0].requirements = {"b>=1,<2", "c>=3"};
  const auto report = report_about({}, {one, other});
  EditPlan files{{"/a", {}}};
  CHECK_FALSE(add_edits(report, files));
  WheelPlan wheel{{{"/a", {}}}, {}};
  CHECK(add_edits(report, wheel));
  CHECK(wheel.requirements == std::vector<std::string>{"b>=1,<2", "c>=3"});
  CHECK(wheel.files["/a"].search_path == "$ORIGIN/../b");
  CHECK_FALSE(add_edits(report, wheel));
}

}  // namespace
}  // namespace cudald

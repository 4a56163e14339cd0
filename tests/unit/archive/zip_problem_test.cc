#include "archive/zip_problem.h"

#include <doctest/doctest.h>

#include "unit/archive/zip_builder.h"

namespace cudald {
namespace {

TEST_CASE("a million problems of a kind are counted, and a few are told") {
  std::vector<ZipEntry> entries(5000, ZipEntry{.name = "same", .data = ""});
  const auto problems = problems_of(archive_of(entries).bytes);
  CHECK(problems.count(ZipProblemKind::duplicate_name) == 4999);
  CHECK(problems.kept().size() == ZipProblems::most_kept_of_a_kind);
  ZipProblems sum;
  sum.add(problems);
  sum.add(problems);
  CHECK(sum.count(ZipProblemKind::duplicate_name) == 2 * 4999);
  CHECK(sum.kept().size() == ZipProblems::most_kept_of_a_kind);
}

TEST_CASE("every kind has a name of its own and a risk") {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < zip_problem_kinds; ++i) {
    const auto kind = static_cast<ZipProblemKind>(i);
    names.push_back(to_string(kind));
    CHECK_FALSE(names.back().empty());
    CHECK(risk_of(kind) <= ZipRisk::beyond_limits);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
  CHECK(to_string(ZipProblemKind::data_descriptor) == "data-descriptor");
  CHECK(to_string(ZipProblemKind::damaged) == "damaged");
  CHECK(to_string(ZipProblemKind::over_ratio) == "over-ratio");
  CHECK(to_string(ZipProblemKind::over_total) == "over-total");
  CHECK(to_string(ZipProblemKind::symlink) == "symlink");
  CHECK(to_string(ZipProblemKind::name_parent) == "name-parent");
  CHECK(risk_of(ZipProblemKind::name_parent) == ZipRisk::unsafe);
  CHECK(risk_of(ZipProblemKind::duplicate_name) == ZipRisk::disagreement);
  CHECK(risk_of(ZipProblemKind::unsupported_method) == ZipRisk::beyond_limits);
}

/// In the order of ZipProblemKind.
const std::pair<const char*, ZipRisk> names_and_risks[] = {
    {"not-a-zip", ZipRisk::malformed},
    {"truncated", ZipRisk::malformed},
    {"several-end-records", ZipRisk::disagreement},
    {"comment-size", ZipRisk::malformed},
    {"trailing-data", ZipRisk::disagreement},
    {"prefix-data", ZipRisk::disagreement},
    {"several-volumes", ZipRisk::malformed},
    {"zip64-end", ZipRisk::disagreement},
    {"directory-place", ZipRisk::malformed},
    {"several-directories", ZipRisk::disagreement},
    {"directory-size", ZipRisk::malformed},
    {"directory-count", ZipRisk::disagreement},
    {"directory-record", ZipRisk::malformed},
    {"too-many-members", ZipRisk::beyond_limits},
    {"unclaimed-bytes", ZipRisk::disagreement},
    {"bomb", ZipRisk::unsafe},
    {"over-total", ZipRisk::beyond_limits},
    {"version-needed", ZipRisk::malformed},
    {"extra-field", ZipRisk::malformed},
    {"zip64-extra", ZipRisk::disagreement},
    {"unicode-path", ZipRisk::disagreement},
    {"outside", ZipRisk::malformed},
    {"overlap", ZipRisk::unsafe},
    {"stored-size", ZipRisk::malformed},
    {"impossible-ratio", ZipRisk::unsafe},
    {"too-large", ZipRisk::beyond_limits},
    {"over-ratio", ZipRisk::beyond_limits},
    {"unsupported-method", ZipRisk::beyond_limits},
    {"encrypted", ZipRisk::unsafe},
    {"symlink", ZipRisk::unsafe},
    {"special-file", ZipRisk::unsafe},
    {"folder-with-data", ZipRisk::malformed},
    {"name-empty", ZipRisk::malformed},
    {"name-control", ZipRisk::unsafe},
    {"name-absolute", ZipRisk::unsafe},
    {"name-drive", ZipRisk::unsafe},
    {"name-parent", ZipRisk::unsafe},
    {"name-backslash", ZipRisk::disagreement},
    {"name-encoding", ZipRisk::disagreement},
    {"name-too-long", ZipRisk::malformed},
    {"duplicate-name", ZipRisk::disagreement},
    {"duplicate-ignoring-case", ZipRisk::disagreement},
    {"file-and-folder", ZipRisk::disagreement},
    {"local-header", ZipRisk::malformed},
    {"local-name", ZipRisk::disagreement},
    {"local-method", ZipRisk::disagreement},
    {"local-sizes", ZipRisk::disagreement},
    {"local-flags", ZipRisk::disagreement},
    {"local-extra", ZipRisk::disagreement},
    {"data-descriptor", ZipRisk::disagreement},
    {"damaged", ZipRisk::malformed},
};

TEST_CASE("what each kind is called, and what follows from it") {
  REQUIRE(std::size(names_and_risks) == zip_problem_kinds);
  for (std::size_t i = 0; i < zip_problem_kinds; ++i) {
    CAPTURE(names_and_risks[i].first);
    CHECK(to_string(static_cast<ZipProblemKind>(i)) == names_and_risks[i].first);
    CHECK(risk_of(static_cast<ZipProblemKind>(i)) == names_and_risks[i].second);
  }
}

TEST_CASE("problems that are added up are counted by their kinds, the first and the last as well") {
  ZipProblems some;
  for (int i = 0; i < 20; ++i) {
    some.add({ZipProblemKind::not_a_zip, std::nullopt, 0, std::to_string(i), false});
    some.add({ZipProblemKind::damaged, std::nullopt, 0, std::to_string(i), i == 19});
  }
  CHECK(some.any_fatal());
  CHECK(some.kept().size() == 32);
  CHECK(some.kept()[30].message == "15");
  ZipProblems sum;
  CHECK(sum.empty());
  CHECK_FALSE(sum.any_fatal());
  sum.add({ZipProblemKind::symlink, std::nullopt, 0, "first", true});
  sum.add({ZipProblemKind::symlink, std::nullopt, 0, "second", false});
  CHECK(sum.any_fatal());
  sum.add(some);
  for (const auto kind : {ZipProblemKind::not_a_zip, ZipProblemKind::damaged}) CHECK(sum.count(kind) == 20);
  CHECK(sum.count(ZipProblemKind::symlink) == 2);
  CHECK(sum.count(ZipProblemKind::truncated) == 0);
  CHECK(sum.kept().size() == 34);
}

}  // namespace
}  // namespace cudald

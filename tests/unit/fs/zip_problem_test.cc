#include "fs/zip_problem.h"

#include <doctest/doctest.h>

#include "unit/fs/zip_builder.h"

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

}  // namespace
}  // namespace cudald

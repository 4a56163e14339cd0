#include "archive/zip_problem.h"

namespace cudald {
namespace {

struct Kind {
  std::string_view name;
  ZipRisk risk;
};

// In the order of ZipProblemKind.
constexpr std::array<Kind, zip_problem_kinds> kinds = {{
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
}};

const Kind& describe(ZipProblemKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view to_string(ZipProblemKind kind) { return describe(kind).name; }

ZipRisk risk_of(ZipProblemKind kind) { return describe(kind).risk; }

void ZipProblems::add(ZipProblem problem) {
  fatal_ = fatal_ || problem.fatal;
  auto& count = counts_[static_cast<std::size_t>(problem.kind)];
  if (++count <= most_kept_of_a_kind) kept_.push_back(std::move(problem));
}

void ZipProblems::add(const ZipProblems& others) {
  for (const auto& problem : others.kept_) add(problem);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto kind = static_cast<ZipProblemKind>(i);
    std::size_t kept = 0;
    for (const auto& problem : others.kept_) kept += problem.kind == kind;
    counts_[i] += others.counts_[i] - kept;
  }
}

}  // namespace cudald

#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "check/findings/checks.h"

namespace cudald {
namespace {

std::string_view code_of(ZipRisk risk) {
  switch (risk) {
    case ZipRisk::malformed: return "CUD901";
    case ZipRisk::unsafe: return "CUD507";
    case ZipRisk::disagreement: return "CUD506";
    case ZipRisk::beyond_limits: return "CUD902";
  }
  return "CUD901";
}

std::string_view consequence_of(ZipRisk risk) {
  switch (risk) {
    case ZipRisk::malformed: return "Installers refuse the archive, or this member of it.";
    case ZipRisk::unsafe: return "An extractor that trusts the archive writes where it should not, or fills the disk.";
    case ZipRisk::disagreement: return "Two installers can unpack different files from it.";
    case ZipRisk::beyond_limits: return "Nothing is claimed beyond that.";
  }
  return "";
}

std::string_view code_of(WheelProblemKind kind) {
  switch (kind) {
    case WheelProblemKind::record_broken:
    case WheelProblemKind::record_lacks_member:
    case WheelProblemKind::record_lists_missing:
    case WheelProblemKind::record_twice:
    case WheelProblemKind::record_size:
    case WheelProblemKind::record_hash: return "CUD505";
    default: return "CUD506";
  }
}

std::string as_sentence(const PackageTree& tree, std::size_t package, std::optional<std::size_t> member,
                        const std::string& message) {
  return fmt::format("{} {}", tree.name_in_archive(package, member), message);
}

void tell_problems(const PackageTree& tree, std::size_t number, std::vector<Finding>& findings) {
  const auto& package = tree.packages()[number];
  std::array<bool, zip_problem_kinds> told{};
  std::vector<Finding> others;  // one of each kind comes first: text shows the first few
  for (const auto& problem : package.problems.kept()) {
    const auto risk = risk_of(problem.kind);
    auto finding = make_finding(code_of(risk));
    // pip refuses the whole wheel.
    if (problem.fatal || problem.kind == ZipProblemKind::damaged) finding.level = Level::error;
    finding.subject = tree.name_in_archive(number, problem.member);
    finding.message = as_sentence(tree, number, problem.member, problem.message);
    finding.consequence = consequence_of(risk);
    finding.evidence.push_back({fmt::format("{} at offset {:#x}", to_string(problem.kind), problem.offset),
                                package.archive, Basis::proven, ""});
    if (std::exchange(told[static_cast<std::size_t>(problem.kind)], true)) {
      others.push_back(std::move(finding));
      continue;
    }
    const auto count = package.problems.count(problem.kind);
    if (count > ZipProblems::most_kept_of_a_kind)
      finding.evidence.push_back(
          {fmt::format("{} of this kind in the archive; {} are shown", count, ZipProblems::most_kept_of_a_kind),
           package.archive, Basis::proven, ""});
    findings.push_back(std::move(finding));
  }
  findings.insert(findings.end(), others.begin(), others.end());
  for (const auto& problem : package.wheel_problems) {
    auto finding = make_finding(code_of(problem.kind));
    finding.subject = tree.name_in_archive(number, problem.member);
    finding.message = as_sentence(tree, number, problem.member, problem.message);
    finding.consequence = finding.code == "CUD505" ? "RECORD is what uninstalling and auditing go by."
                                                   : "Installers treat such a wheel differently, or refuse it.";
    finding.evidence.push_back({std::string(to_string(problem.kind)), package.archive, Basis::proven, ""});
    findings.push_back(std::move(finding));
  }
}

/// Libraries that were wanted and could not be read to their end, and all else that was read and is damaged.
std::map<std::string, Error> unread_members(const PackageTree& tree, const Package& package, const ImageStore& images) {
  auto unread = tree.damaged_members();
  for (const auto& path : package.libraries)
    if (const auto* opened = images.known(path); opened != nullptr && opened->error)
      unread.insert_or_assign(path, *opened->error);
  // Another package may have replaced it.
  std::erase_if(unread, [&](const auto& each) { return tree.package_of(each.first) != &package; });
  return unread;
}

void tell_unread_members(const PackageTree& tree, const Package& package, const ImageStore& images,
                         std::vector<Finding>& findings) {
  std::size_t count = 0;
  for (const auto& [path, error] : unread_members(tree, package, images)) {
    if (++count > ZipProblems::most_kept_of_a_kind) continue;
    const bool damaged = error.code == ErrorCode::malformed, limit = error.code == ErrorCode::limit;
    auto finding = make_finding(damaged ? "CUD901" : limit ? "CUD902" : "CUD904");
    if (damaged) finding.level = Level::error;
    finding.subject = tree.shown(path);
    finding.message = fmt::format("{} cannot be {}: {}", finding.subject, damaged ? "unpacked" : "read", error.message);
    finding.consequence =
        damaged ? "Installers stop at this member; what needs it does not find it." : "Nothing is claimed about it.";
    finding.evidence.push_back(
        {error.offset ? fmt::format("{} (offset {:#x})", error.message, *error.offset) : error.message, package.archive,
         Basis::proven, ""});
    findings.push_back(std::move(finding));
  }
  if (count > ZipProblems::most_kept_of_a_kind)
    findings.back().evidence.push_back(
        {fmt::format("{} members of this archive cannot be unpacked", count), package.archive, Basis::proven, ""});
}

}  // namespace

void check_packages(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  const auto& packages = state.packages.packages();
  for (std::size_t number = 0; number < packages.size(); ++number) {
    tell_problems(state.packages, number, report.findings);
    tell_unread_members(state.packages, packages[number], state.images, report.findings);
  }
  if (const auto& limit = state.installed.limit()) {
    auto finding = make_finding("CUD902");
    finding.subject = limit->path;
    finding.message =
        fmt::format("{}: what packages claim as theirs was not read to its end: {}", limit->path, limit->message);
    finding.consequence = "For further files the owning package is not listed.";
    finding.evidence.push_back({limit->message, limit->path, Basis::proven, ""});
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald

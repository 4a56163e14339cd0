#include <fmt/format.h>

#include "base/path.h"
#include "check/checks.h"

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

}  // namespace

void check_packages(Report& report, const PackageTree& tree) {
  for (const auto& package : tree.packages()) {
    const std::string name(file_name(package.archive));
    for (const auto& problem : package.problems.kept()) {
      const auto risk = risk_of(problem.kind);
      auto finding = make_finding(code_of(risk));
      finding.subject = to_string(problem.kind);
      finding.message = fmt::format("{}: {}", name, problem.message);
      finding.consequence = consequence_of(risk);
      finding.evidence.push_back({fmt::format("{} at offset {:#x}", to_string(problem.kind), problem.offset), package.archive,
                                  Basis::proven, ""});
      report.findings.push_back(std::move(finding));
    }
    for (const auto& problem : package.wheel_problems) {
      auto finding = make_finding(code_of(problem.kind));
      finding.subject = to_string(problem.kind);
      finding.message = fmt::format("{}: {}", name, problem.message);
      finding.consequence = finding.code == "CUD505" ? "RECORD is what uninstalling and auditing go by."
                                                     : "Installers treat such a wheel differently, or refuse it.";
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace cudald

#include <fmt/format.h>

#include "base/path.h"
#include "check/checks.h"

namespace cudald {

void check_targets(const Case& given) {
  auto& report = given.report;
  auto& images = given.store.images;
  for (const auto& target : report.resolution.targets) {
    if (!target.unreadable) continue;
    const auto code = target.unreadable->code;
    auto finding = make_finding(code == ErrorCode::malformed ? "CUD901"
                                : code == ErrorCode::limit   ? "CUD902"
                                                             : "CUD904");
    finding.level = Level::error;
    finding.subject = target.given;
    finding.message = fmt::format("{}: {}", target.given, target.unreadable->message);
    finding.consequence = "Nothing is claimed about it.";
    report.findings.push_back(std::move(finding));
  }
  const auto& objects = report.resolution.objects;
  if (objects.empty() || !program_interpreter(*objects.front().image)) return;
  const auto& interpreter = *program_interpreter(*objects.front().image);
  const auto& opened = images.open(absolute_path(interpreter, report.query.environment.cwd));
  if (!opened.error) return;
  auto finding = make_finding("CUD101");
  finding.object = 0;
  finding.subject = interpreter;
  finding.message = fmt::format("its program interpreter {} is not here", interpreter);
  finding.consequence = "The kernel refuses to start it: \"No such file or directory\", although the program is there.";
  finding.evidence.push_back({"PT_INTERP names " + interpreter, interpreter, Basis::proven, ""});
  if (interpreter.find("musl") != std::string::npos)
    finding.fixes.push_back({"install musl's loader", "sudo apt install musl", ""});
  report.findings.push_back(std::move(finding));
  auto& error = report.resolution.targets.front().error;
  if (error.empty()) error = interpreter + ": No such file or directory";
}

}  // namespace cudald

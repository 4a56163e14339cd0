#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "check/checks.h"
#include "env/abi.h"

namespace cudald {
namespace {

/// Whether a program names the loader of glibc or musl where every system has it.
bool is_usual_interpreter(const Image& program) {
  const auto* abi = find_abi(program.machine, program.format, program.byte_order);
  if (abi == nullptr) return false;
  return *program.elf.interpreter == abi->interpreter ||
         *program.elf.interpreter == "/lib/ld-musl-" + std::string(abi->musl_name) + ".so.1";
}

}  // namespace

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
  if (report.resolution.world.kind == WorldKind::tag && is_usual_interpreter(*objects.front().image)) return;
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

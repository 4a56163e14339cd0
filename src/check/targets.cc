#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/refusals.h"
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

void tell_refusals(Report& report, const std::vector<Error>& refused) {
  constexpr std::size_t most_told = 5;
  report.findings.clear();
  for (std::size_t i = 0; i < std::min(most_told, refused.size()); ++i) {
    const auto& error = refused[i];
    auto finding = make_finding("CUD904");
    finding.subject = error.path;
    finding.message = text_of_refusal(error);
    finding.consequence = "The answer depends on it, so nothing is claimed.";
    finding.evidence.push_back({error.message, error.path, Basis::proven, ""});
    if (error.system_error == EMFILE) finding.fixes.push_back({"allow more open files", "ulimit -n 1024", ""});
    report.findings.push_back(std::move(finding));
  }
  report.verdict = Verdict::unknown;
  report.headline = report.findings.front().message + "; nothing is claimed";
}

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

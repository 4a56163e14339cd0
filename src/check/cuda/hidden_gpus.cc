#include <algorithm>

#include <fmt/format.h>

#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "machine/survey/machine_gpus.h"
#include "store/store.h"

namespace cudald {
namespace {

constexpr auto variable = "CUDA_VISIBLE_DEVICES";

/// Without a driver there is no GPU that could be hidden.
bool is_lost_already(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.level != Level::note && traits_of(finding).about_driver &&
           traits_of(finding).verdict == VerdictEffect::cpu_only;
  });
}

}  // namespace

void check_hidden_gpus(const Case& given) {
  auto& report = given.report;
  const auto visible = report.query.environment.variable(variable);
  if (!visible || is_lost_already(report)) return;
  auto callers = callers_of_driver(report);
  for (const auto id : cuda_objects(report.resolution, CudaKind::driver, true)) callers.push_back(id);
  const auto gpus =
      asks_about_this_machine(report.query) ? machine_gpus(given.store.images.files()) : std::vector<MachineGpu>();
  if (callers.empty() || !hides_all_gpus(*visible, gpus)) return;
  auto finding = make_finding("CUD315");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = callers.front();
  finding.subject = variable;
  finding.message = visible->empty()
                        ? fmt::format("{} is empty: no GPU is seen", variable)
                        : fmt::format("{} is \"{}\", which begins with no GPU{}: none is seen", variable, *visible,
                                      gpus.empty() ? "" : fmt::format(" of the {} here", gpus.size()));
  const auto& object = report.resolution.objects[callers.front()];
  finding.evidence.push_back({object.cuda ? described(object) : short_name(object), object.path, Basis::proven, ""});
  finding.evidence.push_back({"the GPUs of a process are those before the first entry that names none", "", Basis::rule,
                              "CUDA Programming Guide, \"CUDA Environment Variables\""});
  finding.consequence =
      "It starts. The first call of CUDA fails with \"no CUDA-capable device is detected\" (cudaErrorNoDevice, 100); "
      "frameworks then see no GPU and use the CPU.";
  finding.fixes.push_back({"let all GPUs be seen",
                           report.resolution.windows ? "set CUDA_VISIBLE_DEVICES=" : "unset CUDA_VISIBLE_DEVICES",
                           "for this shell only"});
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cudald/gpu_architecture.h>
#include <cudald/gpu_code.h>

#include "check/checks.h"
#include "check/cuda_objects.h"

namespace cudald {
namespace {

constexpr auto guide = "NVIDIA, CUDA Programming Guide, \"Compute Capabilities\"";

std::string names(const GpuEntries& entries) {
  std::string text;
  for (const auto& [architecture, count] : entries) text += (text.empty() ? "" : ", ") + to_string(architecture);
  return text;
}

std::string carried(const GpuCode& code) {
  if (code.ptx.empty()) return names(code.sass) + " and no PTX";
  return fmt::format("{}PTX of {}", code.sass.empty() ? "" : names(code.sass) + " and ", names(code.ptx));
}

template <typename Test>
bool any(const GpuEntries& entries, GpuArchitecture gpu, Test fits) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return fits(entry.first, gpu); });
}

/// Whether the GPU is older, or newer, than all that there is code for; 0 if it lies in between.
int side_of(const GpuCode& code, GpuArchitecture gpu) {
  bool older = true, newer = true;
  for (const auto* entries : {&code.sass, &code.ptx})
    for (const auto& [architecture, count] : *entries) {
      older &= gpu.number < architecture.number;
      newer &= gpu.number > architecture.number;
    }
  return older ? -1 : newer ? 1 : 0;
}

std::string build_that_fits(const std::string& package, GpuArchitecture gpu, int side, const Knowledge& knowledge) {
  const auto span = knowledge.toolkits_for(to_string(gpu));
  if (side < 0)
    return fmt::format("an older build of {}: of an older release, or of this one for an older CUDA{}", package,
                       span && !span->until.empty() ? " (before " + span->until + ")" : "");
  if (side > 0)
    return fmt::format("a newer build of {}: of a newer release, or of this one for a newer CUDA{}", package,
                       span ? " (" + span->since + " or newer)" : "");
  return fmt::format("a build of {} that was made for {}", package, to_string(gpu));
}

void tell_missing(const Report& report, const Object& object, GpuArchitecture gpu, Finding& finding) {
  const auto name = short_name(object);
  const auto& knowledge = knowledge_of(report);
  // NVIDIA's own libraries have code that is never used; what else has GPU code is what the GPU is wanted for.
  if (report.query.require_gpu && !is_of_nvidia(object)) finding.level = Level::error;
  finding.message = fmt::format("{} has no code for {}: it carries {}", name, to_string(gpu), carried(*object.gpu));
  finding.consequence =
      "It loads. The first kernel that it starts fails with \"no kernel image is available for execution on the "
      "device\" (cudaErrorNoKernelImageForDevice, 209).";
  const auto side = side_of(*object.gpu, gpu);
  finding.fixes.push_back(
      {build_that_fits(object.package ? object.package->name : name, gpu, side, knowledge), "",
       fmt::format("cudald show FILE lists what a build carries; one's own: nvcc -gencode arch=compute_{0},code=sm_{0}",
                   gpu.number)});
  if (const auto span = knowledge.toolkits_for(to_string(gpu)))
    finding.evidence.push_back({fmt::format("toolkits make code for {} from CUDA {} on{}", to_string(gpu), span->since,
                                            span->until.empty() ? "" : ", and no longer from " + span->until + " on"),
                                "", Basis::table, span->source.text});
  finding.does_not_help.push_back(
      side < 0 ? "a newer driver or a newer release: newer builds carry code for newer GPUs"
               : "a newer driver: it runs no code for another architecture, and compiles only PTX that is there and "
                 "not newer than the GPU");
}

void tell_compiled(const Object& object, GpuArchitecture gpu, Finding& finding) {
  finding.level = Level::note;
  finding.message =
      fmt::format("{} has only PTX for {}: it carries {}", short_name(object), to_string(gpu), carried(*object.gpu));
  finding.consequence =
      "The driver compiles a kernel when it is first used, which delays the first run, and "
      "keeps the result in its cache (CUDA_CACHE_PATH). For that it must be as new as the CUDA "
      "that the PTX was made with.";
}

}  // namespace

void check_gpu_code(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  std::set<std::string> judged;  // a file that one dlopen mapped and another one maps again
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& object = objects[id];
    // What the runtime does not register is loaded by code of the library's own, if at all: libcufft.so does so.
    if (!object.gpu || object.gpu->empty() || !object.gpu->registered || !object.gpu->defects.empty()) continue;
    if (!judged.insert(object.path).second) continue;
    for (const auto gpu : report.query.gpus) {
      if (any(object.gpu->sass, gpu, sass_runs_on)) continue;
      auto finding = make_finding("CUD307");
      finding.object = id;
      finding.subject = to_string(gpu);
      if (any(object.gpu->ptx, gpu, ptx_compiles_for)) {
        tell_compiled(object, gpu, finding);
      } else {
        tell_missing(report, object, gpu, finding);
      }
      finding.evidence.push_back({"the headers of its fatbins", object.path, Basis::proven, ""});
      finding.evidence.push_back(
          {"code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU "
           "alone",
           "", Basis::rule, guide});
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace cudald

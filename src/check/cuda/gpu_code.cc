#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_architecture.h>
#include <cudald/gpu_code.h>

#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/build_fixes.h"
#include "knowledge/knowledge.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr auto guide = "NVIDIA, CUDA Programming Guide, \"Compute Capabilities\"";
constexpr auto variables = "NVIDIA, CUDA Programming Guide, \"CUDA Environment Variables\"";
constexpr auto forcing = "CUDA_FORCE_PTX_JIT", disabling = "CUDA_DISABLE_PTX_JIT";

constexpr auto no_image =
    "It loads. The first kernel that it starts fails with \"no kernel image is available for execution on the "
    "device\" (cudaErrorNoKernelImageForDevice, 209).";

/// What variables of the process make of the driver's compiler for PTX.
enum class PtxCompiler { usual, forced, disabled };

PtxCompiler ptx_compiler(const Environment& environment) {
  if (environment.variable(forcing) == "1") return PtxCompiler::forced;
  return environment.variable(disabling) == "1" ? PtxCompiler::disabled : PtxCompiler::usual;
}

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

/// Since when toolkits make code for a GPU, as far as it may be told.
struct Toolkits {
  ArchitectureSpan span;
  std::string source;
  std::string_view likely;  ///< "likely " where nothing repeats the proof
};

std::optional<Toolkits> toolkits_for(GpuArchitecture gpu, const Knowledge& knowledge) {
  if (const auto fact = knowledge.toolkits_for(to_string(gpu))) return Toolkits{*fact, fact->source(), ""};
  if (const auto guess = knowledge.likely_toolkits_for(to_string(gpu)))
    return Toolkits{guess->guess(), guess->source(), "likely "};
  return std::nullopt;
}

std::string build_that_fits(const std::string& package, GpuArchitecture gpu, int side,
                            const std::optional<Toolkits>& toolkits) {
  if (side < 0)
    return fmt::format("an older build of {}: of an older release, or of this one for an older CUDA{}", package,
                       toolkits && !toolkits->span.until.empty()
                           ? fmt::format(" ({}before {})", toolkits->likely, toolkits->span.until)
                           : "");
  if (side > 0)
    return fmt::format("a newer build of {}: of a newer release, or of this one for a newer CUDA{}", package,
                       toolkits ? fmt::format(" ({}{} or newer)", toolkits->likely, toolkits->span.since) : "");
  return fmt::format("a build of {} that was made for {}", package, to_string(gpu));
}

void tell_missing(const Case& given, const Object& object, GpuArchitecture gpu, const std::string& driver,
                  Finding& finding) {
  const auto& report = given.report;
  const auto name = short_name(object);
  const auto toolkits = toolkits_for(gpu, knowledge_of(report));
  // NVIDIA's own libraries have code that is never used; what else has GPU code is what the GPU is wanted for.
  if (report.query.require_gpu && !is_of_nvidia(object)) finding.level = Level::error;
  finding.message = fmt::format("{} has no code for {}: it contains {}", name, to_string(gpu), carried(*object.gpu));
  finding.consequence = no_image;
  const auto side = side_of(*object.gpu, gpu);
  const auto& files = given.store.images.files();
  const auto newest = driver.empty() ? "" : knowledge_of(report).newest_cuda_on(driver, platform_of(report));
  if (const Installer installer(report, object, files); object.package)
    if (auto fix = other_build(normal_distribution_name(object.package->name), object.package->version, {{gpu}, newest},
                               installer, files))
      finding.fixes.push_back(std::move(*fix));
  finding.fixes.push_back(
      {build_that_fits(object.package ? object.package->name : name, gpu, side, toolkits), "",
       fmt::format(
           "cudald show FILE lists what a build contains; one's own: nvcc -gencode arch=compute_{0},code=sm_{0}",
           gpu.number)});
  if (toolkits)
    finding.evidence.push_back(
        {fmt::format("toolkits {}make code for {} from CUDA {} on{}", toolkits->likely, to_string(gpu),
                     toolkits->span.since,
                     toolkits->span.until.empty() ? "" : ", and no longer from " + toolkits->span.until + " on"),
         "", Basis::table, toolkits->source});
  finding.does_not_help.push_back(
      side < 0 ? "a newer driver or a newer release: newer builds contain code for newer GPUs"
               : "a newer driver: it runs no code for another architecture, and compiles only PTX that is there and "
                 "not newer than the GPU");
}

/// The release of CUDA that an object was compiled with; empty if neither its own runtime nor a table tells.
std::string release_of_build(const Report& report, const Object& object) {
  if (object.cuda && object.cuda->is_static) return object.cuda->version;
  if (!object.package) return "";
  const auto build =
      knowledge_of(report).framework(object.package->name, without_local(object.package->version), platform_of(report));
  return build ? build->cuda : "";
}

/// The driver is older than the CUDA that the PTX was made with: it cannot compile it.
bool tell_newer_than_driver(const Report& report, const std::string& driver, const Object& object, bool forced,
                            Finding& finding) {
  const auto built = release_of_build(report, object);
  const auto own = driver.empty() ? "" : knowledge_of(report).cuda_of_driver(driver, platform_of(report));
  if (own.empty() || built.find('.') == std::string::npos ||
      !knowledge_of(report).is_older_than_release(driver, built, platform_of(report)))
    return false;
  finding.level = report.query.require_gpu && !is_of_nvidia(object) ? Level::error : Level::warning;
  finding.message = fmt::format("{} has only PTX for {}{}, of CUDA {}: driver {} compiles that of CUDA {} and older",
                                short_name(object), finding.subject, forced ? fmt::format(" with {}=1", forcing) : "",
                                built, driver, own);
  finding.consequence =
      "It loads. The first kernel that it starts fails with \"the provided PTX was compiled with an unsupported "
      "toolchain\" (cudaErrorUnsupportedPtxVersion, 222).";
  const auto brought = knowledge_of(report).driver_of(built, platform_of(report));
  finding.fixes.push_back({brought
                               ? fmt::format("a driver of {} or newer: CUDA {} ships with it", brought->version, built)
                               : fmt::format("the driver of CUDA {} or a newer one", built),
                           "", ""});
  finding.fixes.push_back(
      {fmt::format("or a build with machine code for {}, or for CUDA {} or older", finding.subject, own), "", ""});
  finding.does_not_help.push_back("minor-version compatibility: it runs machine code alone");
  return true;
}

void tell_compiled(const Report& report, const std::string& driver, const Object& object, GpuArchitecture gpu,
                   bool forced, Finding& finding) {
  if (tell_newer_than_driver(report, driver, object, forced, finding)) return;
  finding.level = Level::note;
  finding.message = forced ? fmt::format("{} contains {}; {} is 1: its PTX is compiled for {}", short_name(object),
                                         carried(*object.gpu), forcing, to_string(gpu))
                           : fmt::format("{} has only PTX for {}: it contains {}", short_name(object), to_string(gpu),
                                         carried(*object.gpu));
  finding.consequence =
      "The driver compiles a kernel when it is first used, which delays the first run, and "
      "keeps the result in its cache (CUDA_CACHE_PATH). For that it must be as new as the CUDA "
      "that the PTX was made with.";
}

/// The code that there is for the GPU is left out, as a variable says so.
void tell_left_out(const Report& report, const Object& object, GpuArchitecture gpu, bool forced, Finding& finding) {
  const auto* const variable = forced ? forcing : disabling;
  const auto* const left_out = forced ? "machine code" : "PTX";
  if (report.query.require_gpu && !is_of_nvidia(object)) finding.level = Level::error;
  finding.message = fmt::format("{} contains {}; {} is 1, which leaves out {}: nothing is left for {}",
                                short_name(object), carried(*object.gpu), variable, left_out, to_string(gpu));
  finding.consequence = forced ? no_image
                               : "It loads. The first kernel that it starts fails with \"PTX JIT compilation was "
                                 "disabled\" (cudaErrorJitCompilationDisabled, 223).";
  finding.evidence.push_back(
      {fmt::format("{}=1 makes the driver leave out {}", variable, left_out), "", Basis::rule, variables});
  finding.fixes.push_back(
      {"let the driver use all of the code",
       report.resolution.windows ? fmt::format("set {}=", variable) : fmt::format("unset {}", variable),
       "for this shell only"});
}

class Judge {
 public:
  explicit Judge(const Case& given) : given_(given), compiler_(ptx_compiler(given.report.query.environment)) {}

  void judge(ObjectId id) {
    for (const auto gpu : given_.report.query.gpus) judge(id, gpu);
  }

 private:
  void judge(ObjectId id, GpuArchitecture gpu) {
    auto& report = given_.report;
    const auto& object = report.resolution.objects[id];
    const bool runs = any(object.gpu->sass, gpu, sass_runs_on), compiles = any(object.gpu->ptx, gpu, ptx_compiles_for);
    const bool forced = compiler_ == PtxCompiler::forced;
    if (runs && !forced) return;
    auto finding = make_finding("CUD307");
    finding.object = id;
    finding.subject = to_string(gpu);
    if (compiles ? compiler_ == PtxCompiler::disabled : runs)
      tell_left_out(report, object, gpu, forced, finding);
    else if (compiles)
      tell_compiled(report, driver(), object, gpu, forced, finding);
    else
      tell_missing(given_, object, gpu, driver(), finding);
    finding.evidence.push_back({"the headers of its fatbins", object.path, Basis::proven, ""});
    finding.evidence.push_back(
        {"code runs on GPUs of its own major version that are not older; of sm_NNa on that GPU "
         "alone",
         "", Basis::rule, guide});
    report.findings.push_back(std::move(finding));
  }

  const std::string& driver() {
    if (!driver_) driver_ = driver_release(given_);
    return *driver_;
  }

  const Case& given_;
  const PtxCompiler compiler_;
  std::optional<std::string> driver_;
};

}  // namespace

void check_gpu_code(const Case& given) {
  const auto& objects = given.report.resolution.objects;
  Judge judge(given);
  std::set<std::string> judged;  // a file that one dlopen mapped and another one maps again
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& object = objects[id];
    // What the runtime does not register is loaded by code of the library's own, if at all: libcufft.so does so.
    if (!object.gpu || object.gpu->empty() || !object.gpu->registered || !object.gpu->defects.empty()) continue;
    if (judged.insert(object.path).second) judge.judge(id);
  }
}

}  // namespace cudald

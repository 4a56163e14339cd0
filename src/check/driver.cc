#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "base/version_order.h"
#include "check/checks.h"
#include "check/cuda_objects.h"
#include "cuda/knowledge.h"
#include "loader/loader.h"
#include "store/store.h"

namespace cudald {
namespace {

constexpr auto compatibility = "NVIDIA, CUDA Compatibility";

void add_too_old(Report& report, ObjectId id, const DriverNeed& need, const std::string& release) {
  const auto& driver = report.query.environment.driver;
  auto finding = make_finding("CUD301");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = id;
  finding.subject = driver;
  finding.message =
      fmt::format("driver {} is too old for CUDA {}: {} or newer is needed", driver, release, need.version);
  finding.evidence.push_back(
      {described(report.resolution.objects[id]), report.resolution.objects[id].path, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("CUDA {} runs from driver {} on", release, need.version), "", Basis::table, need.source.text});
  finding.consequence =
      "It loads. The first call of CUDA fails with \"CUDA driver version is insufficient for CUDA runtime version\" "
      "(cudaErrorInsufficientDriver, 35); frameworks then see no GPU and use the CPU.";
  const auto platform = platform_of(report);
  finding.fixes.push_back({fmt::format("a driver of {} or newer", need.version), "", ""});
  if (const auto newest = knowledge_of(report).newest_cuda_of(driver, platform); !newest.empty())
    finding.fixes.push_back(
        {fmt::format("or a build for CUDA {} or older, the newest that this driver runs", newest), "", ""});
  finding.does_not_help.push_back(
      "a newer CUDA toolkit: it needs a newer driver still. The cuda-compat packages help on data-centre GPUs only");
  report.findings.push_back(std::move(finding));
}

void add_minor_version(Report& report, ObjectId id, const DriverNeed& brought, const std::string& release) {
  const auto& driver = report.query.environment.driver;
  auto finding = make_finding("CUD301");
  finding.level = Level::note;
  finding.object = id;
  finding.subject = driver;
  finding.message =
      fmt::format("driver {} is older than CUDA {}, which brings {}: it runs, by minor-version compatibility", driver,
                  release, brought.version);
  finding.evidence.push_back(
      {fmt::format("CUDA {} brings driver {}", release, brought.version), "", Basis::table, brought.source.text});
  finding.evidence.push_back(
      {"releases of one major version run on its oldest driver; code that is there only as PTX of a newer release does "
       "not",
       "", Basis::rule, compatibility});
  finding.consequence =
      "Kernels that only PTX is there for fail with \"the provided PTX was compiled with an unsupported toolchain\" "
      "(222); the rest works.";
  report.findings.push_back(std::move(finding));
}

/// What the loader takes for libcuda.so.1 is nothing but the toolkit's stub.
void add_stub(Report& report, ObjectId id, const std::string& path, const CudaLibrary& library) {
  auto finding = make_finding("CUD309");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = id;
  finding.subject = "libcuda.so.1";
  finding.message = fmt::format("the driver's library that is found, {}, is the toolkit's stub", path);
  for (const auto& text : library.evidence) finding.evidence.push_back({text, path, Basis::proven, ""});
  finding.consequence =
      "It loads. Every call of the driver fails with CUDA_ERROR_STUB_LIBRARY (34); the CUDA runtime says \"CUDA driver "
      "is a "
      "stub library\", and frameworks see no GPU.";
  finding.fixes.push_back({"keep the stub out of the search at run time: it is for the linker's -L alone", "", ""});
  finding.fixes.push_back(
      {"libcuda.so.1 belongs to the NVIDIA driver; on Debian", "sudo apt install libcuda1",
       "needs the non-free component; in a container the host's driver is mounted: docker run --gpus all"});
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_driver_stub(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  const auto& objects = report.resolution.objects;
  for (const auto id : cuda_objects(report.resolution, CudaKind::driver, true))
    if (objects[id].cuda->stub) return add_stub(report, id, objects[id].path, *objects[id].cuda);
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].may_open) {
      const auto& probes = edge.search.probes;
      if (edge.status != EdgeStatus::not_loaded || edge.object || probes.empty() ||
          !edge.name.starts_with("libcuda.so"))
        continue;
      const auto path = absolute_path(probes.back().path, report.query.environment.cwd);
      if (const auto library = state.cuda_library(path, false); library && library->stub)
        return add_stub(report, id, path, *library);
    }
  if (given.loader == nullptr) return;
  // What a runtime opens without telling it to anybody.
  for (const auto id : callers_of_driver(report)) {
    const auto* found = own_choice(given, {"libcuda.so.1", EdgeKind::dlopen, id, true});
    const auto library = found == nullptr ? nullptr : state.cuda_library(found->real_path, false);
    if (library && library->stub) return add_stub(report, id, found->real_path, *library);
  }
}

void check_driver(const Case& given) {
  auto& report = given.report;
  const auto& driver = report.query.environment.driver;
  if (driver.empty()) return;
  const auto platform = platform_of(report);
  const auto& knowledge = knowledge_of(report);
  std::set<std::string> judged;
  // A runtime that is loaded on use, as onnxruntime does, needs the driver as well.
  auto runtimes = cuda_objects(report.resolution, CudaKind::cudart, true);
  const auto linked = objects_with_linked_runtime(report.resolution);
  runtimes.insert(runtimes.end(), linked.begin(), linked.end());
  for (const auto id : runtimes) {
    if (report.resolution.objects[id].cuda->version.empty()) continue;
    if (!judged.insert(report.resolution.objects[id].cuda->version).second) continue;
    const auto& cuda = *report.resolution.objects[id].cuda;
    const auto brought = knowledge.driver_of(cuda.version, platform);
    const auto floor = knowledge.driver_floor(cuda.major, platform);
    // Before CUDA 11 there is no minor-version compatibility: each release needs the driver that it brings.
    const auto& least = floor ? floor : brought;
    if (least && version_less(driver, least->version)) {
      add_too_old(report, id, *least, cuda.version);
    } else if (floor && brought && version_less(driver, brought->version)) {
      add_minor_version(report, id, *brought, cuda.version);
    }
  }
}

}  // namespace cudald

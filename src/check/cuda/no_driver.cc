#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/install_commands.h"
#include "loader/loader.h"

namespace cudald {
namespace {

constexpr auto driver_name = "libcuda.so.1";

/// Where installers of containers, WSL and NixOS put the driver's library, and no loader looks by itself.
constexpr const char* unusual_folders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib",
                                           "/run/opengl-driver/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current"};

/// Whether nothing is said of a driver, so that the files tell.
bool is_told_by_files(const Report& report) {
  const auto& environment = report.query.environment;
  return environment.driver.empty() && !environment.any_driver && report.resolution.world.kind != WorldKind::tag;
}

bool is_driver_loaded(const Resolution& resolution) {
  return std::any_of(resolution.objects.begin(), resolution.objects.end(),
                     [](const Object& object) { return object.image && object.image->soname == driver_name; });
}

/// Whether the miss of the driver ends a request, which is told as that.
bool is_told_as_failure(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.subject == driver_name && finding.level == Level::error;
  });
}

std::string unusual_folder_with_driver(Store& store) {
  for (const auto* folder : unusual_folders)
    if (is_file(store.images.files(), std::string(folder) + "/" + driver_name)) return folder;
  return "";
}

void add_fixes(const std::string& folder, ImageStore& images, Finding& finding) {
  if (!folder.empty())
    finding.fixes.push_back({"for this shell only: the driver's library is there, but not on the search path",
                             export_search_path({folder}),
                             "every program started from it then prefers the libraries in that directory"});
  for (auto& fix : driver_fixes(images)) finding.fixes.push_back(std::move(fix));
  finding.does_not_help.push_back("a CUDA toolkit or NVIDIA's packages for pip or conda: none of them has the driver");
}

void tell(Report& report, ObjectId caller, Store& store) {
  const auto& object = report.resolution.objects[caller];
  const auto folder = unusual_folder_with_driver(store);
  auto finding = make_finding("CUD310");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = caller;
  finding.subject = driver_name;
  finding.message = folder.empty()
                        ? "no NVIDIA driver here (libcuda.so.1 is not found in any directory the loader searches)"
                        : fmt::format(
                              "the NVIDIA driver's library is in {}, which the loader does not "
                              "search",
                              folder);
  finding.evidence.push_back({object.cuda ? described(object) + ": it opens libcuda.so.1 when the GPU is first used"
                                          : short_name(object) + " needs libcuda.so.1",
                              object.path, object.cuda ? Basis::rule : Basis::proven,
                              object.cuda ? "CUDA C++ Programming Guide" : ""});
  finding.evidence.push_back({"to judge for a machine that has a driver: --driver VERSION", "", Basis::rule, ""});
  finding.consequence =
      "It starts. The first call of CUDA fails with \"CUDA driver version is insufficient for CUDA runtime version\" "
      "(35) or \"no CUDA-capable device is detected\" (100); frameworks then see no GPU and use the CPU.";
  add_fixes(folder, store.images, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace

std::vector<ObjectId> callers_of_driver(const Report& report) {
  const auto& resolution = report.resolution;
  auto callers = cuda_objects(resolution, CudaKind::cudart, true);
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    const bool linked = !object.unmapped && object.cuda && object.cuda->is_static;
    const bool needs = std::any_of(object.edges.begin(), object.edges.end(),
                                   [](const Edge& edge) { return edge.name == driver_name && !edge.object; });
    if (linked || needs) callers.push_back(id);
  }
  return callers;
}

void check_no_driver(const Case& given) {
  auto& report = given.report;
  if (!is_told_by_files(report) || given.loader == nullptr || is_driver_loaded(report.resolution)) return;
  const auto callers = callers_of_driver(report);
  if (callers.empty() || is_told_as_failure(report)) return;
  // The stub in its place is a finding of its own.
  for (const auto caller : callers)
    if (own_choice(given, {driver_name, EdgeKind::dlopen, caller, true}) != nullptr) return;
  tell(report, callers.front(), given.store);
}

}  // namespace cudald

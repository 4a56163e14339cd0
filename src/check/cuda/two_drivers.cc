#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/fixes/install_commands.h"
#include "loader/loader.h"
#include "machine/survey/survey.h"

namespace cudald {
namespace {

constexpr auto library_name = "libcuda.so.1";
constexpr auto module_file = "/proc/driver/nvidia/version";

/// Where container runtimes and distributions put the driver's library.
constexpr const char* usual_folders[] = {"/usr/local/nvidia/lib64",
                                         "/usr/local/nvidia/lib",
                                         "/usr/lib/x86_64-linux-gnu",
                                         "/usr/lib/x86_64-linux-gnu/nvidia/current",
                                         "/usr/lib64",
                                         "/usr/lib/wsl/lib"};

std::string version_of_driver(Store& store, const std::string& path) {
  const auto library = store.cuda_library(path, false);
  return library && library->kind == CudaKind::driver && !library->stub ? library->version : "";
}

/// A folder with the library of this release; empty if no usual one has it.
std::string folder_with(Store& store, const std::string& version) {
  for (const auto* folder : usual_folders) {
    const auto path = std::string(folder) + "/" + library_name;
    if (is_file(store.images.files(), path) && version_of_driver(store, path) == version) return folder;
  }
  return "";
}

void add_fixes(Store& store, const std::string& path, const std::string& library, const std::string& module,
               Finding& finding) {
  if (const auto folder = folder_with(store, module); !folder.empty())
    finding.fixes.push_back({fmt::format("the library of the kernel's release is in {}: put it first", folder),
                             export_search_path({folder}),
                             "every program started from it then prefers the libraries in that directory"});
  if (version_less(module, library))
    finding.fixes.push_back(
        {"restart the machine: the kernel then loads the module of the new release", "",
         "without a restart, with nothing using the GPU: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && "
         "sudo modprobe nvidia"});
  finding.fixes.push_back(
      {fmt::format("in a container: take {} out of the container; the host's is mounted by: docker run --gpus all",
                   path),
       "", ""});
  finding.does_not_help.push_back("another CUDA toolkit, or another build of the program: both ask the same driver");
}

}  // namespace

std::string kernel_driver(const FileSystem& files) { return first_version(read_small_text(files, module_file)); }

bool is_of_compat(const std::string& path) { return path.find("compat/") != std::string::npos; }

const OpenedFile* driver_library_found(const Case& given) {
  if (given.loader == nullptr) return nullptr;
  for (const auto id : callers_of_driver(given.report))
    if (const auto* choice = own_choice(given, {library_name, EdgeKind::dlopen, id, true})) return choice;
  return nullptr;
}

void check_two_drivers(const Case& given) {
  auto& report = given.report;
  // With a driver that is stated the question is about another machine.
  if (!report.query.environment.driver.empty() || report.resolution.world.kind == WorldKind::tag) return;
  const auto* found = driver_library_found(given);
  if (found == nullptr) return;
  const auto module = kernel_driver(given.store.images.files());
  const auto library = module.empty() ? "" : version_of_driver(given.store, found->real_path);
  if (library.empty() || library == module) return;
  if (is_of_compat(found->real_path) && version_less(module, library)) return;
  auto finding = make_finding("CUD314");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = callers_of_driver(report).front();
  finding.subject = library_name;
  finding.message = fmt::format("{} is of driver {}, and the kernel's module of {}", library_name, library, module);
  finding.evidence.push_back(
      {fmt::format("the library is of driver {}", library), found->real_path, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("the module of the running kernel is of {}", module), module_file, Basis::proven, ""});
  finding.consequence =
      "It starts. The first call of CUDA fails with \"system has unsupported display driver / cuda driver "
      "combination\" "
      "(cudaErrorSystemDriverMismatch, 803), and nvidia-smi says \"Driver/library version mismatch\".";
  add_fixes(given.store, found->real_path, library, module, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald

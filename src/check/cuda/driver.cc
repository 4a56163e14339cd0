#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_architecture.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/install_commands.h"
#include "knowledge/knowledge.h"
#include "loader/loader.h"
#include "store/store.h"

namespace cudald {
namespace {

constexpr auto compatibility = "NVIDIA, CUDA Compatibility";

/// The driver that is judged, and NVIDIA's package of a newer driver's library, if there is one (cuda-compat).
struct DriverHere {
  std::string version;
  std::string compat;       ///< the version of that library; empty: there is none
  std::string compat_path;  ///< where it lies
  bool compat_used{};       ///< it is what a loader finds as libcuda.so.1
};

std::string version_of(Store& store, const std::string& path) {
  const auto library = store.cuda_library(path, false);
  const bool known = library && library->kind == CudaKind::driver && !library->stub;
  return known && library->version.find('.') != std::string::npos ? library->version : "";
}

/// The newest libcuda.so.1 of a package cuda-compat, where they put it: /usr/local/cuda-12.9/compat.
std::string compat_folder(Store& store) {
  const auto& files = store.images.files();
  std::string newest;
  if (const auto names = files.list("/usr/local"))
    for (const auto& name : *names)
      if (name.starts_with("cuda-") && is_file(files, "/usr/local/" + name + "/compat/libcuda.so.1") &&
          (newest.empty() || version_less(newest, name)))
        newest = name;
  return newest.empty() ? "" : "/usr/local/" + newest + "/compat";
}

DriverHere driver_here(const Case& given) {
  auto& store = given.store;
  DriverHere driver{given.report.query.environment.driver, "", "", false};
  if (given.loader == nullptr) return driver;
  const auto* choice = driver_library_found(given);
  const auto found = choice == nullptr ? "" : choice->real_path;
  const auto found_version = found.empty() ? "" : version_of(store, found);
  if (driver.version.empty()) {
    // Of a compat package only the kernel says which driver lies below it.
    if (!is_of_compat(found)) {
      driver.version = found_version;
      return driver;
    }
    driver.version = kernel_driver(store.images.files());
    if (driver.version.empty()) return driver;
  }
  // Another driver in the tree is that of this machine, and the question is about one with the driver that is stated.
  driver.compat_used = is_of_compat(found) && !found_version.empty() && version_less(driver.version, found_version);
  driver.compat_path = driver.compat_used ? found : compat_folder(store);
  if (driver.compat_used) driver.compat = found_version;
  if (!driver.compat_used && !driver.compat_path.empty())
    driver.compat = version_of(store, driver.compat_path + "/libcuda.so.1");
  return driver;
}

/// "11.8 or older, the newest that this driver runs".
void add_build_fix(const Case& given, const DriverHere& driver, Finding& finding) {
  const auto& report = given.report;
  const auto& knowledge = knowledge_of(report);
  const auto platform = platform_of(report);
  const auto newest = knowledge.newest_cuda_on(driver.version, platform);
  if (newest.empty()) return;
  const auto own = knowledge.cuda_of_driver(driver.version, platform);
  if (const auto framework = framework_with_builds(report)) {
    const auto& files = given.store.images.files();
    const Installer installer(report, *framework->object, files);
    if (auto fix = other_build(framework->name, framework->version, {report.query.gpus, newest}, installer, files)) {
      fix->title = "or " + fix->title;
      return finding.fixes.push_back(std::move(*fix));
    }
  }
  finding.fixes.push_back(
      {fmt::format("or a build for CUDA {} or older, the newest that this driver runs", newest), "",
       own.empty() || own == newest
           ? ""
           : fmt::format("by minor-version compatibility; PTX it compiles up to that of CUDA {}", own)});
}

void add_compat_fix(const DriverHere& driver, Finding& finding) {
  if (driver.compat.empty() || driver.compat_used) return;
  finding.fixes.push_back(
      {fmt::format("or, on GPUs for data centres, NVIDIA's library of driver {}, which is here", driver.compat),
       export_search_path({driver.compat_path}), "for this shell only"});
}

void add_too_old(const Case& given, const DriverHere& driver, ObjectId id, const Proven<DriverNeed>& need) {
  auto& report = given.report;
  const auto& release = report.resolution.objects[id].cuda->version;
  auto finding = make_finding("CUD301");
  if (report.query.require_gpu) finding.level = Level::error;
  finding.object = id;
  finding.subject = driver.version;
  finding.message =
      fmt::format("driver {} is too old for CUDA {}: {} or newer is needed", driver.version, release, need.version);
  finding.evidence.push_back(
      {described(report.resolution.objects[id]), report.resolution.objects[id].path, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("CUDA {} runs from driver {} on", release, need.version), "", Basis::table, need.source()});
  finding.consequence =
      "It loads. The first call of CUDA fails with \"CUDA driver version is insufficient for CUDA runtime version\" "
      "(cudaErrorInsufficientDriver, 35); frameworks then see no GPU and use the CPU.";
  finding.fixes.push_back({fmt::format("a driver of {} or newer", need.version), "", ""});
  add_build_fix(given, driver, finding);
  add_compat_fix(driver, finding);
  finding.does_not_help.push_back(
      report.resolution.windows
          ? "a newer CUDA toolkit: it needs a newer driver still"
          : "a newer CUDA toolkit: it needs a newer driver still. The cuda-compat packages help on GPUs for data "
            "centres, some RTX boards for servers and Jetson alone");
  report.findings.push_back(std::move(finding));
}

/// LD_LIBRARY_PATH without a directory that it names; nullopt if it does not name it.
std::optional<Fix> without_element(const Environment& environment, const std::string& folder) {
  const auto value = environment.variable("LD_LIBRARY_PATH").value_or("");
  std::vector<std::string_view> left;
  bool named = false;
  for (const auto element : split(value, ":;")) {
    const bool same = normal_path(absolute_path(std::string(element), environment.cwd)) == folder;
    named = named || same;
    if (!same && !element.empty()) left.push_back(element);
  }
  if (!named) return std::nullopt;
  const auto title = fmt::format("take {} out of LD_LIBRARY_PATH", folder);
  if (left.empty()) return Fix{title, "unset LD_LIBRARY_PATH", "for this shell"};
  return Fix{title, "export LD_LIBRARY_PATH=" + shell_word(fmt::format("{}", fmt::join(left, ":"))), "for this shell"};
}

/// What lets the driver's own library come first again.
Fix without_folder(const Report& report, const std::string& folder) {
  if (auto fix = without_element(report.query.environment, folder)) return *fix;
  return {fmt::format("take {} out of /etc/ld.so.conf and what it includes, and run: sudo ldconfig", folder), "", ""};
}

/// A library of a newer driver stands before that of an older kernel module: forward compatibility. `need`: what the
/// driver is too old for without it.
void add_forward(Report& report, const DriverHere& driver, ObjectId id, const DriverNeed* need) {
  const auto& release = report.resolution.objects[id].cuda->version;
  auto finding = make_finding("CUD301");
  finding.level = Level::note;
  finding.object = id;
  finding.subject = driver.version;
  finding.message = fmt::format("driver {} is older than {}; {} is of driver {}: forward compatibility", driver.version,
                                need != nullptr ? "CUDA " + release + " needs" : "the library of it that is found",
                                driver.compat_path, driver.compat);
  finding.evidence.push_back({"libcuda.so.1 is of driver " + driver.compat, driver.compat_path, Basis::proven, ""});
  finding.evidence.push_back(
      {"a package cuda-compat serves GPUs for data centres, some RTX boards for servers and Jetson, on Linux", "",
       Basis::rule, compatibility});
  finding.consequence =
      "On those GPUs it works. On any other the first call of CUDA fails with \"forward compatibility was attempted "
      "on non supported HW\" (cudaErrorCompatNotSupportedOnDevice, 804).";
  if (need != nullptr)
    finding.fixes.push_back({fmt::format("on any other: a driver of {} or newer", need->version), "", ""});
  finding.fixes.push_back(without_folder(report, std::string(parent_path(driver.compat_path))));
  if (need == nullptr) finding.fixes.back().title += fmt::format(": driver {} runs CUDA {}", driver.version, release);
  report.findings.push_back(std::move(finding));
}

void add_minor_version(Report& report, const DriverHere& driver, ObjectId id, const Proven<DriverNeed>& brought) {
  const auto& release = report.resolution.objects[id].cuda->version;
  auto finding = make_finding("CUD301");
  finding.level = Level::note;
  finding.object = id;
  finding.subject = driver.version;
  finding.message =
      fmt::format("driver {} is older than CUDA {}, which ships with {}: it runs, by minor-version compatibility",
                  driver.version, release, brought.version);
  finding.evidence.push_back(
      {fmt::format("CUDA {} ships with driver {}", release, brought.version), "", Basis::table, brought.source()});
  finding.evidence.push_back(
      {"releases of one major version run on its oldest driver; code that exists only as PTX of a newer release does "
       "not",
       "", Basis::rule, compatibility});
  finding.consequence =
      "Kernels that exist only as PTX fail with \"the provided PTX was compiled with an unsupported toolchain\" "
      "(222); the rest works. --gpu says which files have nothing but PTX for a GPU.";
  report.findings.push_back(std::move(finding));
}

/// A GPU that came after the driver is likely unknown to it.
void add_new_gpus(Report& report, const DriverHere& driver) {
  const auto& knowledge = knowledge_of(report);
  for (const auto gpu : report.query.gpus) {
    const auto fact = knowledge.toolkits_for(to_string(gpu));
    const auto guess = knowledge.likely_toolkits_for(to_string(gpu));
    if (!fact && !guess) continue;
    const auto& since = fact ? fact->since : guess->guess().since;
    const auto need = knowledge.driver_of(since, platform_of(report));
    if (!need || !knowledge.is_older_driver(driver.version, *need, platform_of(report))) continue;
    auto finding = make_finding("CUD301");
    finding.level = Level::note;
    finding.subject = driver.version;
    finding.message = fmt::format(
        "driver {} is likely too old for {}: toolkits make code for it from CUDA {} on, "
        "which ships with driver {}",
        driver.version, to_string(gpu), since, need->version);
    finding.evidence.push_back(
        {fmt::format("CUDA {} ships with driver {}", since, need->version), "", Basis::table, need->source()});
    finding.consequence = "A driver does not show a GPU that it does not know: \"no CUDA-capable device is detected\".";
    finding.fixes.push_back({fmt::format("a driver of {} or newer", need->version), "", ""});
    report.findings.push_back(std::move(finding));
  }
}

/// What the loader takes for libcuda.so.1 is nothing but the toolkit's stub.
void add_stub(const Case& given, ObjectId id, const std::string& path, const CudaLibrary& library) {
  auto& report = given.report;
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
  const auto& environment = report.query.environment;
  const std::string folder(parent_path(normal_path(absolute_path(path, environment.cwd))));
  const auto out = without_element(environment, folder);
  finding.fixes.push_back(
      out.value_or(Fix{"keep the stub out of the search at run time: it is for the linker's -L alone", "", ""}));
  // Where a driver is stated, it is there.
  if (!environment.driver.empty() && out) return report.findings.push_back(std::move(finding));
  for (auto& fix : driver_fixes(given.store.images)) finding.fixes.push_back(std::move(fix));
  report.findings.push_back(std::move(finding));
}

}  // namespace

std::string driver_release(const Case& given) {
  const auto driver = driver_here(given);
  return driver.compat_used ? driver.compat : driver.version;
}

void check_driver_stub(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  const auto& objects = report.resolution.objects;
  for (const auto id : cuda_objects(report.resolution, CudaKind::driver, true))
    if (objects[id].cuda->stub) return add_stub(given, id, objects[id].path, *objects[id].cuda);
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].may_open) {
      const auto& probes = edge.search.probes;
      if (edge.status != EdgeStatus::not_loaded || edge.object || probes.empty() ||
          !edge.name.starts_with("libcuda.so"))
        continue;
      const auto path = absolute_path(probes.back().path, report.query.environment.cwd);
      if (const auto library = state.cuda_library(path, false); library && library->stub)
        return add_stub(given, id, path, *library);
    }
  if (given.loader == nullptr) return;
  // What a runtime opens without telling it to anybody.
  for (const auto id : callers_of_driver(report)) {
    const auto* found = own_choice(given, {"libcuda.so.1", EdgeKind::dlopen, id, true});
    const auto library = found == nullptr ? nullptr : state.cuda_library(found->real_path, false);
    if (library && library->stub) return add_stub(given, id, found->real_path, *library);
  }
}

void check_driver(const Case& given) {
  auto& report = given.report;
  const auto driver = driver_here(given);
  if (driver.version.empty()) return;
  const auto platform = platform_of(report);
  const auto& knowledge = knowledge_of(report);
  std::set<std::string> judged;
  // A runtime that is loaded on use, as onnxruntime does, needs the driver as well.
  auto runtimes = cuda_objects(report.resolution, CudaKind::cudart, true);
  const auto linked = objects_with_linked_runtime(report.resolution);
  runtimes.insert(runtimes.end(), linked.begin(), linked.end());
  for (const auto id : runtimes) {
    const auto& release = report.resolution.objects[id].cuda->version;
    if (release.empty() || !judged.insert(release).second) continue;
    const auto brought = knowledge.driver_of(release, platform);
    const auto least = knowledge.least_driver(release, platform);
    if (least && knowledge.is_older_driver(driver.version, *least, platform)) {
      if (driver.compat_used && !knowledge.is_older_driver(driver.compat, *least, platform))
        add_forward(report, driver, id, &*least);
      else
        add_too_old(given, driver, id, *least);
    } else if (driver.compat_used) {
      add_forward(report, driver, id, nullptr);
    } else if (least && brought && knowledge.is_older_driver(driver.version, *brought, platform)) {
      add_minor_version(report, driver, id, *brought);
    }
  }
  if (!judged.empty()) add_new_gpus(report, driver);
}

}  // namespace cudald

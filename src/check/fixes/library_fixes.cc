#include "check/fixes/library_fixes.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/cuda_build.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/framework_library.h"
#include "check/fixes/library_elsewhere.h"
#include "check/fixes/library_installs.h"
#include "check/fixes/lost_file.h"
#include "check/fixes/preload_fixes.h"
#include "check/fixes/python_library.h"
#include "check/fixes/system_library.h"
#include "check/fixes/unusable_library.h"
#include "knowledge/gpu_use.h"

namespace cudald {
namespace {

/// A library of NVIDIA's driver, which comes with that alone.
bool add_driver_fixes(const MissingLibrary& missing) {
  const auto& name = missing.edge.name;
  const bool absent = missing.found.empty(), is_libcuda = name == "libcuda.so.1" || (name == "libcuda.so" && absent);
  if (!is_libcuda && !(absent && is_driver_library(name))) return false;
  for (auto& fix : is_libcuda ? driver_fixes(missing.images) : driver_fixes(missing.images, name))
    missing.offer(std::move(fix));
  if (is_libcuda)
    missing.finding.does_not_help.push_back(
        "the toolkit's stubs/libcuda.so: it is for linking only and answers every call with an error");
  return true;
}

/// A library that is built for musl asks for musl's own files, which answer for no process of glibc.
bool add_build_for_glibc(const MissingLibrary& missing) {
  if (!is_of_musl(missing.edge.name) || missing.report.resolution.libc.kind != LibcKind::glibc) return false;
  const auto name = short_name(missing.requester);
  missing.offer({fmt::format("take the build of {} for glibc, or compile it on this system", name), "", ""});
  missing.offer({"or run the whole program where musl is the C library (Alpine)", "", ""});
  missing.finding.does_not_help.push_back(fmt::format(
      "installing musl, or a link named {}: two C libraries in one process do not work", missing.edge.name));
  return true;
}

}  // namespace

void LibraryFixes::add_fixes(const std::vector<Whereabouts>& found, const Probe* decisive, Finding& finding) {
  const auto& edge = report_.resolution.objects[*finding.object].edges[*finding.edge];
  if (edge.kind == EdgeKind::preload) return add_preload_fixes(report_, edge, found, store_.images, finding);
  const MissingLibrary missing(report_, store_, edge, found, finding, known_[*finding.object]);
  if (auto without = without_preload(report_, *finding.object)) {
    finding.message += fmt::format("; {} is a preload", short_name(missing.requester));
    finding.fixes.push_back(*std::move(without));
    const bool there =
        std::any_of(found.begin(), found.end(), [](const Whereabouts& w) { return w.exact_name && w.fits; });
    if (!there) return;
  }
  if (decisive != nullptr) return add_mended_file(missing, *decisive);
  if (add_driver_fixes(missing) || add_lost_file(missing) || add_build_for_glibc(missing)) return;
  for (const auto& probe : edge.search.probes)
    if (probe.result == ProbeResult::abi_too_new) return add_admitted_kernel(missing, probe.path);
  add_file_that_is_there(missing);
  const bool here = !finding.fixes.empty();
  if (!here && !add_required_package(missing) && !add_lacked_requirement(missing) && !add_framework(missing)) {
    cudald::add_installs(missing);
    add_build_for_installed_cuda(missing);
  }
  add_useless_link(missing);
  for (const auto& probe : edge.search.probes)
    if (probe.result != ProbeResult::absent && probe.result != ProbeResult::found)
      add_lost_file_at(missing, missing.place_of(probe));
  if (finding.fixes.empty()) add_system_package(missing);
}

void LibraryFixes::add_installs(const Edge& edge, Finding& finding) {
  const std::vector<Whereabouts> nothing;
  cudald::add_installs({report_, store_, edge, nothing, finding, known_[*finding.object]});
}

}  // namespace cudald

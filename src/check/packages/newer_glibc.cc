// CUD124: a platform tag promises the oldest glibc, and machines have newer ones. What a newer one refuses does not
// load "on any machine that the tag promises". Source: glibc 2.41, NEWS, on executable stacks.

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "check/findings/checks.h"
#include "check/fixes/admission_fixes.h"
#include "loader/executable_stack.h"
#include "loader/segments.h"

namespace cudald {
namespace {

bool needs_executable_stack(const Object& object) {
  if (!object.image || !object.image->is_elf()) return false;
  const auto* abi = find_abi(object.image->machine, object.image->format, object.image->byte_order);
  return abi != nullptr && ExecutableStack::is_needed_by(*object.image, *abi);
}

/// Whether a file is mapped before the program runs, and so may still have such a stack.
bool is_of_start(const Report& report, ObjectId id) {
  const auto& resolution = report.resolution;
  return id == 0 || resolution.targets[resolution.objects[id].target].kind == TargetKind::start;
}

}  // namespace

void check_newer_glibc(const Case& given) {
  auto& report = given.report;
  const auto& resolution = report.resolution;
  constexpr LibcVersion strict{LibcKind::glibc, 2, 41};
  if (resolution.world.kind != WorldKind::tag || resolution.libc.kind != LibcKind::glibc ||
      resolution.libc.at_least(strict.major, strict.minor) || report.query.environment.libc)
    return;
  for (ObjectId id = 0; id < resolution.objects.size(); ++id)
    if (is_of_start(report, id) && !resolution.objects[id].dynamic_loader &&
        needs_executable_stack(resolution.objects[id]))
      return;
  for (ObjectId id = 1; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (object.unmapped || !object.package || is_of_start(report, id) || !needs_executable_stack(object)) continue;
    auto finding = make_finding("CUD124");
    finding.level = std::max(finding.level, level_of_failure(report, resolution.targets[object.target]));
    finding.object = id;
    finding.subject = short_name(object);
    finding.message = fmt::format(
        "{} needs an executable stack: it loads with the glibc {}.{} of {}, and not with glibc 2.41 or later",
        short_name(object), resolution.libc.major, resolution.libc.minor, resolution.world.name);
    finding.consequence =
        fmt::format("From glibc 2.41 on the loader stops with: {}: {}", short_name(object), executable_stack_refused);
    add_admission_fixes(report, *object.image, object.path, executable_stack_refused, finding);
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald

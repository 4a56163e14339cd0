#include "probe/plan.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/report.h>

#include "base/path.h"

namespace cudald {
namespace {

// The child is for the C library that cudald itself is built for, and brings its files.
#ifdef __GLIBC__
constexpr auto own_libc = LibcKind::glibc;
#else
constexpr auto own_libc = LibcKind::musl;
#endif

bool is_program(const Object& object) {
  return object.image->type == FileType::executable || (object.image->elf.flags_1 & df_1_pie) != 0;
}

const Object* object_of(const Report& report, const Target& target) {
  return target.object ? &report.resolution.objects[*target.object] : nullptr;
}

std::string opened_path(const Report& report, const Object& object) {
  const auto path =
      absolute_path(object.load_name.empty() ? object.path : object.load_name, report.query.environment.cwd);
  // A "." is no step; ".." may be, behind a link.
  return path.find("/../") == std::string::npos ? normal_path(path) : path;
}

void leave_out(ProbePlan& plan, const Target& target, std::string_view why) {
  plan.left_out.push_back(fmt::format("{} is not loaded: {}", target.given, why));
}

/// Whether this is what stands between "libcudart" and ".so": nothing, or the hash that a wheel's copy carries, as in
/// libcudart-e409450e.so.11.0 and libcudart.d9bbffd7.so.10.2.
bool is_hash(std::string_view text) {
  return text.empty() || ((text.front() == '-' || text.front() == '.') && text.size() > 8 &&
                          text.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos);
}

std::string_view role_of(std::string_view soname) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> roles = {
      {{"libcudart", "runtime"}, {"libcublas", "cublas"}, {"libcudnn", "cudnn"}}};
  const auto end = soname.find(".so");
  for (const auto& [beginning, role] : roles)
    if (end != std::string_view::npos && soname.starts_with(beginning) && end >= beginning.size() &&
        is_hash(soname.substr(beginning.size(), end - beginning.size())))
      return role;
  return "";
}

}  // namespace

std::optional<std::string> reason_not_to_run(const Report& report) {
  const auto& query = report.query;
  const auto& environment = query.environment;
  if (report.resolution.windows) return "it is made for Windows, and this machine runs Linux";
  if (query.sysroot != "/") return fmt::format("its tree {} is not the root of this machine", query.sysroot);
  if (!query.packages.empty())
    return "packages are installed for the simulation only (--with): there is nothing on the disk to load";
  if (environment.secure) return "a set-user-ID process (--secure) cannot be started for another user's question";
  if (environment.cpu != host_cpu()) return "another processor than that of this machine is simulated (--cpu)";
  if (environment.libc) return "the C library is stated (--libc), not the one of this machine";
  for (const auto& target : report.resolution.targets) {
    if (target.kind == TargetKind::package)
      return fmt::format("{} is an archive: there is nothing on the disk to load", target.given);
    if (target.unreadable)
      return fmt::format("{} is not available for loading: {}", target.given, target.unreadable->message);
  }
  if (report.resolution.objects.empty()) return "nothing to do";
  if (report.resolution.libc.kind != own_libc)
    return own_libc == LibcKind::glibc ? "it is made for musl, and the probe's own program for glibc"
                                       : "it is made for glibc, and the probe's own program for musl";
  for (const auto& object : report.resolution.objects)
    if (object.path.find("!/") != std::string::npos) return fmt::format("{} is in an archive", object.path);
  return std::nullopt;
}

ProbePlan make_plan(const Report& report) {
  ProbePlan plan;
  bool first = true;
  for (std::size_t i = 0; i < report.resolution.targets.size(); ++i) {
    const auto& target = report.resolution.targets[i];
    if (target.part_of) continue;
    const auto* const object = object_of(report, target);
    const bool starts = std::exchange(first, false);
    if (target.kind == TargetKind::import) {
      const auto import = std::find_if(report.resolution.imports.begin(), report.resolution.imports.end(),
                                       [i](const Import& each) { return each.target == i; });
      if (import == report.resolution.imports.end() || import->python.empty()) {
        leave_out(plan, target, "no Python of this machine belongs to it");
        continue;
      }
      if (!starts && plan.way != ProbeWay::import) {
        leave_out(plan, target, "the process before it is not a Python");
        continue;
      }
      plan.way = ProbeWay::import;
      plan.program = import->python;
      plan.modules.push_back(import->module);
    } else if (starts && object != nullptr && is_program(*object)) {
      if (!object->image->elf.interpreter) {
        leave_out(plan, target, "it is statically linked, so no loader takes part in its start");
        continue;
      }
      plan.way = ProbeWay::list;
      plan.program = object->path;  // not by a link: at a start by the kernel, $ORIGIN is that of the file itself
      plan.interpreter = absolute_path(*object->image->elf.interpreter, report.query.environment.cwd);
    } else if (plan.way != ProbeWay::open) {
      leave_out(plan, target,
                plan.way == ProbeWay::list ? "of a program only the start is probed, so that nothing of it runs"
                                           : "after an import nothing else is loaded");
    } else if (target.caller.value_or(0) != 0) {
      leave_out(plan, target, "its dlopen is called by a library, and the probe's is not");
    } else {
      const bool by_name = object == nullptr || target.given.find('/') == std::string::npos;
      const auto path = object != nullptr ? opened_path(report, *object) : target.given;
      DlopenRequest request;
      request.name = by_name && target.kind == TargetKind::dlopen ? target.given : path;
      request.traits.global = target.traits.global;
      request.traits.deepbind = target.traits.deepbind;
      // A library that is a target is bound whole, so that nothing it lacks stays hidden; a stated dlopen as stated.
      const bool stated = std::any_of(report.query.dlopens.begin(), report.query.dlopens.end(),
                                      [&](const DlopenRequest& call) { return call.name == target.given; });
      request.traits.bind_now = !stated || target.traits.bind_now;
      plan.opened.push_back(std::move(request));
    }
  }
  return plan;
}

std::vector<ProbedLibrary> cuda_libraries(const Resolution& resolution) {
  std::vector<ProbedLibrary> libraries;
  for (const auto& object : resolution.objects) {
    const auto role = role_of(object.image->soname ? *object.image->soname : std::string(file_name(object.path)));
    if (!role.empty() && !object.unmapped) libraries.push_back({std::string(role), object.path});
  }
  return libraries;
}

}  // namespace cudald

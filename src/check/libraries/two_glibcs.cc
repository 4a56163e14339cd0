// Parts of two glibcs in one process: libpthread.so.0 of a snap beside the system's libc.so.6. The parts call one
// another by functions of the version GLIBC_PRIVATE, which change with every release. Sources: glibc Versions files,
// GLIBC_PRIVATE; nptl/nptl-init.c up to 2.33: the constructor of libpthread calls
// __libc_pthread_init.

#include "check/libraries/two_glibcs.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/fixes/patchelf_fix.h"
#include "loader/search_path.h"
#include "machine/abi.h"

namespace cudald {
namespace {

/// "2.31" of libpthread-2.31.so, else of the newest version that the file defines; empty if neither tells.
std::string release_of(const Object& part) {
  const auto name = short_name(part);
  const auto dash = name.rfind("-2."), end = name.rfind(".so");
  if (dash != std::string::npos && end != std::string::npos && end > dash) return name.substr(dash + 1, end - dash - 1);
  std::string newest;
  constexpr std::string_view prefix = "GLIBC_2.";
  for (const auto& version : part.image->elf.version_definitions)
    if (version.name.starts_with(prefix)) {
      const auto release = version.name.substr(prefix.size() - 2);
      if (newest.empty() || version_less(newest, release)) newest = release;
    }
  return newest;
}

std::string with_release(const Object& part, const std::string& release) {
  return release.empty() ? short_name(part) : fmt::format("{} (glibc {})", short_name(part), release);
}

/// The request that found a file, and who made it.
struct FoundBy {
  const Object* requester = nullptr;
  const Edge* edge = nullptr;
};

FoundBy found_by(const Report& report, ObjectId part) {
  for (const auto& object : report.resolution.objects)
    for (const auto& edge : object.edges)
      if (edge.status == EdgeStatus::loaded && edge.object == part) return {&object, &edge};
  return {};
}

/// The elements of the requester's own search path without those that lead to the folder of a file.
std::string rest_of_path(const Object& requester, const std::string& folder, const std::string& cwd) {
  const auto& path = requester.image->elf.runpath ? requester.image->elf.runpath : requester.image->elf.rpath;
  std::vector<std::string> rest;
  for (const std::string elements = path.value_or(""); const auto element : split(elements, ":"))
    for (const auto& expanded : folders_of(std::string(element), ":", {requester.origin, "lib", ""}))
      if (normal_path(absolute_path(expanded, cwd)) != folder) rest.emplace_back(element);
  return fmt::format("{}", fmt::join(rest, ":"));
}

/// A program that names a loader of its own and finds the libc.so.6 of the system: both have to be of one release.
void add_loader_fixes(const Report& report, const Object& program, const Object& loader, Store& store,
                      Finding& finding) {
  const auto* abi = find_abi(program.image->machine, program.image->format, program.image->byte_order);
  if (abi != nullptr && loader.load_name != abi->interpreter && report.resolution.version_problems.empty() &&
      is_file(store.images.files(), std::string(abi->interpreter)))
    finding.fixes.push_back(
        {"name the loader of this system, to which that libc.so.6 belongs",
         fmt::format("patchelf --set-interpreter {} {}", abi->interpreter, shell_word(program.path)), ""});
  const std::string folder(parent_path(loader.path));
  if (is_file(store.images.files(), folder + "/libc.so.6"))
    finding.fixes.push_back(
        patchelf_fix(fmt::format("{}take the libc.so.6 beside that loader", finding.fixes.empty() ? "" : "or "),
                     {added_directory(program, folder)}, program, store.packages));
}

/// "/snap" of what lies in any snap, else the first two parts of a path: "/tmp/.mount_abc".
std::string_view system_of(std::string_view path) {
  constexpr std::string_view snaps = "/snap/";
  if (path.starts_with(snaps)) return snaps;
  const auto second = path.find('/', 1);
  return second == std::string_view::npos ? path : path.substr(0, path.find('/', second + 1));
}

/// The variables that are set and lead to modules of the system in which a folder lies. Sources: GTK 3, Running and
/// debugging GTK Applications; GIO, Running GIO applications; GdkPixbuf, Environment variables; Qt, QCoreApplication,
/// libraryPaths; GStreamer, Running and debugging; github.com/hz-b/rayx issue 278, github.com/ros2/ros2 issue 1406.
std::vector<std::string> variables_that_lead_to(const std::string& folder, const Environment& environment) {
  std::vector<std::string> found;
  for (const auto* name : {"GTK_PATH", "GTK_EXE_PREFIX", "GTK_IM_MODULE_FILE", "GIO_MODULE_DIR", "GIO_EXTRA_MODULES",
                           "GDK_PIXBUF_MODULE_FILE", "GDK_PIXBUF_MODULEDIR", "QT_PLUGIN_PATH",
                           "QT_QPA_PLATFORM_PLUGIN_PATH", "GST_PLUGIN_PATH", "GST_PLUGIN_SYSTEM_PATH", "LD_PRELOAD"})
    if (const auto value = environment.variable(name))
      for (const auto element : split(*value, ":"))
        if (system_of(element) == system_of(folder) && (found.empty() || found.back() != name))
          found.emplace_back(name);
  return found;
}

/// Who opens the file took it from a variable that leads to modules, as the terminal of a snap sets it.
void add_unset_variables(const std::string& folder, const Environment& environment, Finding& finding) {
  const auto names = variables_that_lead_to(folder, environment);
  if (names.empty()) {
    finding.fixes.push_back(
        {"do not load modules of another system (a snap, a container, an AppImage) into this program: unset the "
         "variable that leads there, such as GTK_PATH, GIO_MODULE_DIR, QT_PLUGIN_PATH or LD_PRELOAD",
         "", ""});
    return;
  }
  const auto text = fmt::format("{} {} to modules of another system, in {}", fmt::join(names, " and "),
                                names.size() == 1 ? "leads" : "lead", system_of(folder));
  finding.evidence.push_back({text, "", Basis::proven, ""});
  finding.fixes.push_back({text, fmt::format("unset {}", fmt::join(names, " ")), "for this shell"});
}

void add_fixes(const Report& report, ObjectId part, const Object* loader, Store& store, Finding& finding) {
  const auto [requester, edge] = found_by(report, part);
  if (requester == nullptr) return;
  const auto& packages = store.packages;
  const std::string folder(parent_path(normal_path(absolute_path(
      edge->search.probes.empty() ? report.resolution.objects[part].load_name : edge->search.probes.back().path,
      report.query.environment.cwd))));
  finding.evidence.push_back(
      {fmt::format("{} finds it in {} ({})", short_name(*requester), folder, to_string(edge->rule)), requester->path,
       Basis::proven, ""});
  if (edge->rule == SearchRule::ld_library_path) {
    finding.fixes.push_back({"LD_LIBRARY_PATH leads to the libraries of another system", "unset LD_LIBRARY_PATH",
                             "for all libraries and programs of this shell"});
  } else if (edge->rule == SearchRule::runpath || edge->rule == SearchRule::rpath) {
    const auto rest = rest_of_path(*requester, folder, report.query.environment.cwd);
    if (packages.package_of(requester->path) == nullptr)
      finding.fixes.push_back(patchelf_fix(
          fmt::format("remove the other system's directory from the search path of {}", short_name(*requester)),
          {{requester->path, FileEdit::Kind::set_directories, rest}}, *requester, packages));
  }
  if (finding.fixes.empty() && loader != nullptr && requester->main_program)
    return add_loader_fixes(report, *requester, *loader, store, finding);
  add_unset_variables(folder, report.query.environment, finding);
  finding.does_not_help.push_back("the other system's libc.so.6: it works only with its own dynamic loader");
}

}  // namespace

bool is_private_to_glibc(const MissingSymbol& missing) { return missing.version == "GLIBC_PRIVATE"; }

void tell_two_glibcs(const Report& report, const std::vector<const MissingSymbol*>& symbols, Store& store,
                     Finding& finding) {
  const auto& objects = report.resolution.objects;
  const auto id = symbols.front()->object;
  const auto& part = objects[id];
  // What a constructor calls is called as the file is loaded.
  const auto at_load = std::find_if(symbols.begin(), symbols.end(), [](const MissingSymbol* symbol) {
    return !symbol->lazy || symbol->name == "__libc_pthread_init";
  });
  const auto* first = at_load == symbols.end() ? symbols.front() : *at_load;
  const auto provider = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
    return object.image->soname == first->version_file || file_name(object.load_name) == first->version_file;
  });
  const auto other =
      provider == objects.end() ? first->version_file
      : provider->dynamic_loader
          ? with_release(*provider, fmt::format("{}.{}", report.resolution.libc.major, report.resolution.libc.minor))
          : with_release(*provider, release_of(*provider));
  // The loader and libc.so.6 read and write one another's data (_rtld_global) before main: releases do not mix.
  const auto loader_release = fmt::format("{}.{}", report.resolution.libc.major, report.resolution.libc.minor);
  const bool mixed = provider != objects.end() && provider->dynamic_loader && part.image->soname == "libc.so.6" &&
                     !release_of(part).empty() && release_of(part) != loader_release;
  finding.level = at_load == symbols.end() && !mixed ? Level::warning : Level::error;
  finding.message = fmt::format("{} belongs to another glibc than {}: parts of two glibcs do not work in one process",
                                with_release(part, release_of(part)), other);
  finding.consequence =
      mixed && at_load == symbols.end()
          ? "The process ends before main: libc.so.6 and its loader share data whose layout changes with every "
            "release. It is killed by SIGSEGV or SIGABRT, or ends with \"" +
                first->message + "\"."
      : at_load == symbols.end()
          ? "It loads; the first call of one of its functions ends the process with \"" + first->message + "\"."
          : "The process ends as soon as it is loaded: " + first->message;
  finding.evidence.push_back(
      {fmt::format("it needs {} that {} does not define: {}",
                   symbols.size() == 1 ? "a private function of glibc"
                                       : fmt::format("{} private functions of glibc", symbols.size()),
                   first->version_file, first->name),
       part.path, Basis::proven, ""});
  add_fixes(report, id, mixed ? &*provider : nullptr, store, finding);
}

}  // namespace cudald

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/fixes/build_again.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/meant_directories.h"
#include "check/fixes/newer_glibc_fixes.h"
#include "check/fixes/newer_libstdcxx.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/whereabouts.h"
#include "loader/loader.h"

namespace cudald {
namespace {

std::string defined_versions(const Image& image) {
  std::string text;
  std::size_t shown = 0;
  for (auto version = image.elf.version_definitions.rbegin(); version != image.elf.version_definitions.rend();
       ++version) {
    if (version->base) continue;
    if (++shown > 4) return text + ", ...";
    text += (text.empty() ? "" : ", ") + version->name;
  }
  return text.empty() ? "none" : text;
}

/// The first release of glibc with a version: "2.34" for GLIBC_2.34. Those that stand for an ability of the loader are
/// named after it; empty if it is not known. Source: glibc, NEWS for version 2.36.
std::string release_with(const std::string& version) {
  if (version == "GLIBC_ABI_DT_RELR") return "2.36";
  return version.size() > 6 && version[6] >= '0' && version[6] <= '9' ? version.substr(6) : "";
}

bool defines_version(const Image& image, const std::string& version) {
  const auto& all = image.elf.version_definitions;
  return std::any_of(all.begin(), all.end(), [&](const VersionDefinition& each) { return each.name == version; });
}

/// The newest release of glibc that a file wants of this library and does not get: the loader names the first one.
std::string newest_wanted(const VersionProblem& problem, const Object& object, const Object* provider) {
  auto newest = release_with(problem.version);
  if (!object.image || provider == nullptr || !provider->image) return newest;
  for (const auto& need : object.image->elf.version_needs) {
    if (need.file != problem.file) continue;
    for (const auto& version : need.versions) {
      const auto release = release_with(version.name);
      if (!defines_version(*provider->image, version.name) && !release.empty() && version_less(newest, release))
        newest = release;
    }
  }
  return newest;
}

void add_glibc_fixes(const VersionProblem& problem, const Report& report, Store& store, Finding& finding) {
  const auto& object = report.resolution.objects[problem.object];
  const auto* provider = problem.provider ? &report.resolution.objects[*problem.provider] : nullptr;
  finding.fixes = newer_glibc_fixes(report, object, problem.version, newest_wanted(problem, object, provider), store);
  if (problem.version == "GLIBC_ABI_DT_RELR") {
    finding.message += fmt::format(
        ": {} has packed relative relocations (DT_RELR), which glibc reads from 2.36 on; "
        "this one is {}.{}",
        short_name(object), report.resolution.libc.major, report.resolution.libc.minor);
    finding.fixes.push_back({"or link it with -Wl,-z,nopack-relative-relocs", "", ""});
  }
  finding.does_not_help.push_back("copying a newer libc.so.6 beside it: libc and the loader ld.so only work as a pair");
}

/// The request that brought the provider in.
const Edge* edge_of(const Report& report, ObjectId provider) {
  for (const auto& object : report.resolution.objects)
    for (const auto& edge : object.edges)
      if (edge.object == provider && edge.status == EdgeStatus::loaded) return &edge;
  return nullptr;
}

/// Another copy of the library that defines the version: later in the requester's own search, or where libraries that
/// belong to it are; empty if there is none.
std::string newer_copy(const Case& given, const VersionProblem& problem) {
  const auto& report = given.report;
  auto& images = given.store.images;
  const auto& object = report.resolution.objects[problem.object];
  const auto is_newer = [&](const std::string& path) {
    const auto& opened = images.open(path);
    return !opened.error && opened.status.id != report.resolution.objects[*problem.provider].id &&
           opened.image->machine == object.image->machine && opened.image->format == object.image->format &&
           defines_version(*opened.image, problem.version);
  };
  const Request request{problem.file, EdgeKind::needed, problem.object, false};
  for (const auto& candidate : given.loader->candidates(request, report.resolution).candidates)
    if (const auto path = absolute_path(candidate.path, report.query.environment.cwd); is_newer(path))
      return images.open(path).real_path;
  for (const auto& where : find_whereabouts(problem.file, problem.object, Edge{}, report, images))
    if (where.exact_name && where.fits && is_newer(where.path)) return where.path;
  // A compiler that is on PATH has its own runtime beside: gcc-13/lib64 of gcc-13/bin.
  const auto path_variable = report.query.environment.variable("PATH").value_or("");
  for (const auto element : split(path_variable, ":")) {
    const std::string above(parent_path(element));
    if (above.size() < 2 || is_system_path(std::string(element)) || images.folder_exists(above + "/conda-meta"))
      continue;
    for (const auto* below : {"/lib64/", "/lib/"})
      if (const auto path = above + below + problem.file; is_file(images.files(), path) && is_newer(path))
        return images.open(path).real_path;
  }
  if (!is_system_path(report.resolution.objects[*problem.provider].path)) return "";
  auto elsewhere = find_below_opt(problem.file, *object.image, images);
  const auto of_users = find_in_homes(problem.file, *object.image, report.query, images);
  elsewhere.insert(elsewhere.end(), of_users.begin(), of_users.end());
  for (const auto& where : elsewhere)
    if (where.exact_name && where.fits && is_newer(where.path)) return where.path;
  return "";
}

/// Whether a program brought a library along, in its directory or below: its start script sets LD_LIBRARY_PATH for that
/// anew. Source: hlds_run and srcds_run of Valve; github.com/pelican-eggs/yolks issue 208.
bool is_of_program(const Report& report, const Object& library) {
  const std::string folder(parent_path(report.resolution.objects.front().path));
  return folder.size() > 1 && !is_system_path(folder + "/x") && library.path.starts_with(folder + "/");
}

/// Whether other libraries of the process, which were found elsewhere, lie in a directory as well: those of Qt and
/// Boost are of one release, and a preload of one among others of another release ends the program.
bool has_others_of_process(const Report& report, const std::string& folder, ObjectId provider, ImageStore& images) {
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& soname = objects[id].image ? objects[id].image->soname : std::nullopt;
    if (id != provider && soname && parent_path(objects[id].path) != folder &&
        is_file(images.files(), folder + "/" + *soname))
      return true;
  }
  return false;
}

/// The search finds the copy by LD_LIBRARY_PATH, unless DT_RPATH or a path comes before that: in the directory of a
/// release that is there in the place of one that is gone, or with others that belong to it.
bool add_directory_of_copy(const Case& given, const std::string& copy, ObjectId provider, const Edge* edge,
                           Finding& finding) {
  const auto& report = given.report;
  auto& images = given.store.images;
  const std::string folder(parent_path(copy));
  if (edge == nullptr || edge->rule == SearchRule::rpath || edge->rule == SearchRule::path) return false;
  for (const auto& other : renumbered_elements(report.query.environment, images)) {
    const auto real = images.files().real_path(other.folder);
    if (other.folder != folder && (!real || *real != folder)) continue;
    finding.message += fmt::format("; LD_LIBRARY_PATH names {}, which is not there", other.element);
    finding.fixes.push_back(
        {fmt::format("name the release that is there, {}; of a module, load its newer version", other.folder),
         export_renumbered(report.query.environment, other), "for this shell"});
    return true;
  }
  if (is_system_path(copy) || !has_others_of_process(report, folder, provider, images)) return false;
  finding.fixes.push_back({"let the search begin in its directory, which has what belongs to it as well",
                           export_search_path({shell_word(folder)}), "for all programs of this shell"});
  return true;
}

/// Parts of glibc fit only their own loader; of other libraries the newer copy serves all that the older one does.
void add_newer_copy(const Case& given, const VersionProblem& problem, Finding& finding) {
  if (given.loader == nullptr || !given.report.query.fixes || problem.version.starts_with("GLIBC_")) return;
  const auto copy = newer_copy(given, problem);
  if (copy.empty()) return;
  finding.message += fmt::format("; {} does", copy);
  finding.evidence.push_back(
      {fmt::format("{} defines {}, and is not the copy that loads", copy, problem.version), copy, Basis::proven, ""});
  const auto* edge = edge_of(given.report, *problem.provider);
  const auto requester = problem.object;
  const auto& loaded = given.report.resolution.objects[*problem.provider];
  if (edge != nullptr && edge->rule == SearchRule::ld_library_path && is_system_path(copy) &&
      is_of_program(given.report, loaded))
    finding.fixes.push_back(
        {"move the copy that the program brought along out of the way: the newer one serves it as well",
         fmt::format("mv {0} {0}.old", shell_word(loaded.path)), ""});
  else if (edge != nullptr && edge->rule == SearchRule::ld_library_path &&
           next_in_search(given, requester, *edge) == copy)
    finding.fixes.push_back({"without LD_LIBRARY_PATH the newer copy is found", "unset LD_LIBRARY_PATH",
                             "for all libraries and programs of this shell"});
  if (add_directory_of_copy(given, copy, *problem.provider, edge, finding)) return;
  finding.fixes.push_back({"load the newer copy first, whatever the search paths say",
                           "export LD_PRELOAD=" + shell_word(copy) + "${LD_PRELOAD:+:$LD_PRELOAD}",
                           "for all programs of this shell"});
}

/// Whether a library defines all that a file wants of it.
bool serves_all(const Image& provider, const Image& user, const std::string& file) {
  for (const auto& need : user.elf.version_needs)
    for (const auto& version : need.versions)
      if (need.file == file && !version.weak && !defines_version(provider, version.name)) return false;
  return true;
}

/// Another copy of what wants too new a C library, for which that of the process is new enough: the runtime of GCC in
/// Nix is one for each release of nixpkgs.
void add_older_copy(const Case& given, const VersionProblem& problem, ObjectId requester, const Edge& edge,
                    Finding& finding) {
  const auto& objects = given.report.resolution.objects;
  const auto& provider = objects[*problem.provider];
  auto& images = given.store.images;
  for (const auto& where : find_whereabouts(edge.name, requester, Edge{}, given.report, images)) {
    if (!where.exact_name || !where.fits || parent_path(where.path) == parent_path(objects[problem.object].path))
      continue;
    const auto& opened = images.open(where.path);
    if (opened.error || !serves_all(*provider.image, *opened.image, problem.file) ||
        !serves_all(*opened.image, *objects[requester].image, edge.name))
      continue;
    const std::string folder(parent_path(where.path));
    finding.message += fmt::format("; LD_LIBRARY_PATH leads to that {}, and {} is for this one", edge.name, where.path);
    finding.evidence.push_back(
        {fmt::format("{} wants no version that {} lacks", where.path, provider.path), where.path, Basis::proven, ""});
    finding.fixes.insert(finding.fixes.begin(),
                         {fmt::format("let the search find {} first", where.path),
                          export_search_path({shell_word(folder)}), "for all libraries and programs of this shell"});
    return;
  }
}

/// The file that wants the version came from LD_LIBRARY_PATH, and without that another copy of it would load, which
/// does not want it: a library of Nix or conda in a program of the system.
void add_own_copy(const Case& given, const VersionProblem& problem, Finding& finding) {
  if (given.loader == nullptr || !given.report.query.fixes) return;
  const auto& objects = given.report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (edge.object != problem.object || edge.status != EdgeStatus::loaded) continue;
      if (edge.rule != SearchRule::ld_library_path) return;
      const auto other = next_in_search(given, id, edge);
      if (other.empty()) return add_older_copy(given, problem, id, edge, finding);
      const auto& opened = given.store.images.open(other);
      for (const auto& need : opened.image->elf.version_needs)
        for (const auto& version : need.versions)
          if (need.file == problem.file && version.name == problem.version) return;
      finding.message +=
          fmt::format("; LD_LIBRARY_PATH leads to that {}, and {} would load without it", edge.name, other);
      finding.evidence.push_back(
          {fmt::format("{} does not want {}", other, problem.version), other, Basis::proven, ""});
      finding.fixes.insert(finding.fixes.begin(),
                           {fmt::format("without LD_LIBRARY_PATH {} is found", other), "unset LD_LIBRARY_PATH",
                            "for all libraries and programs of this shell"});
      return;
    }
}

void tell_missing_version(const VersionProblem& problem, const Report& report, Store& store, Finding& finding) {
  finding.message = fmt::format("{} wants version {} of {}, and the one that loads, {}, does not define it",
                                short_name(report.resolution.objects[problem.object]), problem.version, problem.file,
                                report.resolution.objects[*problem.provider].path);
  finding.consequence = "The loader stops: " + problem.message;
  finding.does_not_help.push_back(
      fmt::format("a symlink named {} to another release: the version is looked up inside the file", problem.file));
  if (problem.version.starts_with("GLIBC_") && problem.version.size() > 6)
    add_glibc_fixes(problem, report, store, finding);
}

/// There is no copy that defines it: the file was linked with another release of the library.
void add_other_build(const Object& object, const VersionProblem& problem, Finding& finding) {
  finding.fixes.push_back({fmt::format("take a build of {} that was made with {} of this system, or build it here",
                                       short_name(object), problem.file),
                           "", ""});
  finding.fixes.push_back({"or run it on the release of the system that it was built for, as in a container", "", ""});
}

/// A link under the name of an older release leads to a library whose soname is another.
void tell_other_release(const Object& provider, const std::string& requester, const VersionProblem& problem,
                        Finding& finding) {
  const auto& soname = provider.image->soname;
  if (!soname || *soname == problem.file || file_name(provider.load_name) != problem.file) return;
  finding.message += fmt::format(": {} is a link to {}, another release", provider.load_name, *soname);
  finding.fixes.push_back({fmt::format("remove the link {}, and install the package that has the real {}; where the "
                                       "system has none any more, take a build of {} for {}",
                                       provider.load_name, problem.file, requester, *soname),
                           "", ""});
}

void tell_no_versions(const VersionProblem& problem, const Report& report, Finding& finding) {
  finding.level = Level::note;
  finding.message =
      fmt::format("{} was linked against a {} with versions; {} has none (no version information available)",
                  short_name(report.resolution.objects[problem.object]), problem.file,
                  report.resolution.objects[*problem.provider].path);
  finding.consequence = "The loader warns \"no version information available\" and continues.";
}

/// Only a warning; it goes away where LD_LIBRARY_PATH is what leads to the copy without versions.
void add_copy_with_versions(const Case& given, const VersionProblem& problem, Finding& finding) {
  const auto* edge = edge_of(given.report, *problem.provider);
  if (given.loader == nullptr || edge == nullptr || edge->rule != SearchRule::ld_library_path) return;
  const auto other = next_in_search(given, problem.object, *edge);
  if (other.empty()) return;
  finding.fixes.push_back({fmt::format("it is harmless; without LD_LIBRARY_PATH {} is found", other),
                           "unset LD_LIBRARY_PATH", "for all libraries and programs of this shell"});
}

void tell_unknown_format(const VersionProblem& problem, const Report& report, Finding& finding) {
  finding.message = fmt::format(
      "{} wants version {} of {}, and the search for it ends at a record of the format {}: loaders know only 1",
      short_name(report.resolution.objects[problem.object]), problem.version, problem.file, *problem.unknown_format);
  finding.consequence = "The loader stops: " + problem.message;
  finding.fixes.push_back({"take another copy of " + problem.file + ": the table of its versions is damaged", "", ""});
}

}  // namespace

void check_versions(const Case& given) {
  auto& report = given.report;
  for (const auto& problem : report.resolution.version_problems) {
    if (problem.weak && !problem.unknown_format) continue;
    const auto& object = report.resolution.objects[problem.object];
    const auto& provider = report.resolution.objects[*problem.provider];
    auto finding = make_finding("CUD202");
    finding.object = problem.object;
    finding.subject = problem.version;
    if (problem.unknown_format)
      tell_unknown_format(problem, report, finding);
    else if (problem.no_versions_at_all)
      tell_no_versions(problem, report, finding);
    else
      tell_missing_version(problem, report, given.store, finding);
    finding.level =
        std::max(finding.level,
                 level_of_failure(report, report.resolution.targets[report.resolution.objects[problem.object].target]));
    finding.evidence.push_back({fmt::format("needed by {}", object.path), object.path, Basis::proven, ""});
    finding.evidence.push_back({fmt::format("{} defines {}", provider.path, defined_versions(*provider.image)),
                                provider.path, Basis::proven, ""});
    if (problem.no_versions_at_all) add_copy_with_versions(given, problem, finding);
    if (!problem.unknown_format && !problem.no_versions_at_all) {
      tell_other_release(provider, short_name(object), problem, finding);
      add_newer_copy(given, problem, finding);
      add_own_copy(given, problem, finding);
      auto again = build_again(object.path, given.store);
      if (again) finding.fixes.insert(finding.fixes.begin(), *std::move(again));
      if (finding.fixes.empty())
        finding.fixes = newer_libstdcxx_fixes(report, object, provider, problem.version, given.store);
      if (finding.fixes.empty()) add_other_build(object, problem, finding);
    }
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald

// Programs of a package: commands that a process of its own starts, not libraries that Python opens. Each was started
// in a simulated process beside the one that the other findings are about.

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/patchelf_fix.h"
#include "package/package_tree.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

/// Where an environment has the library that a program in its bin lacks: in a directory of its site-packages, as the
/// repair tools of wheels make them, or in one of a package. Empty if nowhere.
std::string place_in_environment(const Case& given, const FailedProgram& failed) {
  const std::string bin(parent_path(failed.path));
  if (file_name(bin) != "bin" || bin.starts_with(PackageTree::prefix)) return "";
  auto& images = given.store.images;
  for (const auto& site : site_packages(std::string(parent_path(bin)), images.files()))
    for (const auto& entry : images.list(site))
      for (const auto* below : {"/", "/lib/", "/.libs/"})
        if (auto path = site + "/" + entry + below + failed.library; is_file(images.files(), path)) return path;
  return "";
}

/// Where a package that is installed here has a library; empty if none has it.
std::string place_in_packages(const Case& given, const std::string& library) {
  for (const auto& package : given.store.packages.packages())
    for (const auto& path : package.libraries)
      if (file_name(path) == library && !package.archive.empty()) return path;
  return "";
}

void add_fixes(const Case& given, const FailedProgram& failed, Finding& finding) {
  const auto here = place_in_environment(given, failed);
  const auto place = here.empty() ? place_in_packages(given, failed.library) : here;
  if (place.empty()) return;
  finding.evidence.push_back({fmt::format("the package has {} in {}, which is not searched from {}", failed.library,
                                          parent_path(place), parent_path(failed.path)),
                              place, Basis::proven, ""});
  const auto& image = *given.store.images.open(failed.path).image;
  if (const auto& path = image.elf.runpath ? image.elf.runpath : image.elf.rpath)
    finding.evidence.push_back({fmt::format("its {} is \"{}\": that leads elsewhere once the program is in bin",
                                            image.elf.runpath ? "DT_RUNPATH" : "DT_RPATH", *path),
                                failed.path, Basis::proven, ""});
  if (!here.empty()) {
    Object program;
    program.path = failed.path;
    program.origin = std::string(parent_path(failed.path));
    program.image = given.store.images.open(failed.path).image;
    finding.fixes.push_back(patchelf_fix("let it search there",
                                         {added_directory(program, std::string(parent_path(place)))}, program,
                                         given.store.packages));
  }
  finding.fixes.push_back({"for this shell", export_search_path({shell_folder(std::string(parent_path(place)))}), ""});
  finding.fixes.push_back(
      {"maintainer fix: repair the wheel with a newer auditwheel, or start the program from a Python "
       "entry point; a search path from bin to site-packages depends on the version of Python",
       "", ""});
}

/// Whether the packages have modules or libraries as well, which are what they are for.
bool have_more_than_programs(const Report& report) {
  return std::any_of(report.resolution.targets.begin(), report.resolution.targets.end(), [](const Target& target) {
    return target.kind == TargetKind::dlopen || target.kind == TargetKind::import;
  });
}

void tell(const Case& given, const FailedProgram& failed) {
  auto& report = given.report;
  const bool of_tag = report.resolution.world.kind == WorldKind::tag;
  const bool beside = have_more_than_programs(report);
  // A library that is there and of no use is not lacking.
  const bool lacks = !failed.library.empty() && failed.error.find("No such file or directory") != std::string::npos;
  auto finding = make_finding(!lacks ? "CUD112" : of_tag && !beside ? "CUD501" : "CUD101");
  if (beside) finding.level = Level::warning;
  finding.subject = lacks ? failed.library : failed.path;
  const auto program = file_name(failed.path);
  if (!lacks)
    finding.message = fmt::format("the program {} does not start: {}", program, failed.error);
  else if (of_tag && place_in_packages(given, failed.library).empty())
    finding.message =
        fmt::format("the program {} needs {}, which is not part of {} and not provided by any declared dependency",
                    program, failed.library, report.resolution.world.name);
  else
    finding.message = fmt::format("the program {} does not start: {} is not found in any directory the loader searches",
                                  program, failed.library);
  finding.consequence = failed.error;
  finding.evidence.push_back({"a program of the package", failed.path, Basis::proven, ""});
  if (lacks) add_fixes(given, failed, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_programs(const Case& given) {
  for (const auto& failed : given.report.resolution.failed_programs) tell(given, failed);
}

}  // namespace cudald

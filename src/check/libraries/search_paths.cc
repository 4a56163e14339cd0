#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "check/fixes/patchelf_fix.h"

namespace cudald {
namespace {

/// A folder that only exists where the file was built.
bool is_build_path(std::string_view element) {
  for (const auto* start : {"/home/", "/tmp/", "/build/", "/root/", "/github/", "/__w/", "/opt/_internal/",
                            "/buildbot/", "/usr/src/", "/var/tmp/", "/workspace/", "/io/"})
    if (element.starts_with(start)) return true;
  return element.find("/build/") != std::string_view::npos || element.find("/_work/") != std::string_view::npos ||
         element.starts_with("/usr/local/cuda");
}

bool is_relative(std::string_view element) {
  return element.empty() || (element.front() != '/' && element.front() != '$');
}

bool is_missing_build_path(std::string_view element, ImageStore& images) {
  return element.starts_with('/') && is_build_path(element) && !images.folder_exists(std::string(element));
}

/// Removes what is wrong of a list.
void add_fix(const Object& object, const std::string& list, Store& store, Finding& finding) {
  if (!object.path.starts_with('/') || is_system_path(object.path)) return;
  std::vector<std::string_view> rest;
  for (const auto element : split(list, ":"))
    if (!is_relative(element) && !is_missing_build_path(element, store.images)) rest.push_back(element);
  finding.fixes.push_back(
      patchelf_fix("search only the other directories",
                   {{object.path, FileEdit::Kind::set_directories, fmt::format("{}", fmt::join(rest, ":"))}}, object,
                   store.packages));
}

void check_list(Report& report, Store& store, ObjectId id, const char* tag, const std::string& list) {
  const auto& object = report.resolution.objects[id];
  for (const auto element : split(list, ":")) {
    const bool relative = is_relative(element);
    if (!relative && !is_missing_build_path(element, store.images)) continue;
    auto finding = make_finding(relative ? "CUD107" : "CUD108");
    finding.object = id;
    finding.subject = element.empty() ? "\"\"" : std::string(element);
    if (relative) {
      finding.message = fmt::format("the {} of {} searches the current directory ({})", tag, short_name(object),
                                    element.empty() ? "an empty element" : "\"" + std::string(element) + "\"");
      finding.consequence = "A file planted in the directory from which a program is started would be loaded.";
    } else {
      finding.message =
          fmt::format("the {} of {} names {}, a directory of the build machine", tag, short_name(object), element);
      finding.consequence = "Nothing is found there; anyone who can create that directory decides what is loaded.";
    }
    finding.evidence.push_back({fmt::format("{} is \"{}\"", tag, list), object.path, Basis::proven, ""});
    if (report.query.fixes) add_fix(object, list, store, finding);
    report.findings.push_back(std::move(finding));
    return;  // one of a list is enough
  }
}

}  // namespace

void check_search_paths(const Case& given) {
  auto& report = given.report;
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id) {
    const auto& image = *report.resolution.objects[id].image;
    if (image.elf.runpath) {
      check_list(report, given.store, id, "DT_RUNPATH", *image.elf.runpath);
    } else if (image.elf.rpath) {
      check_list(report, given.store, id, "DT_RPATH", *image.elf.rpath);
    }
  }
}

}  // namespace cudald

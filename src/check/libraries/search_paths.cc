#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "check/findings/checks.h"

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

void check_list(Report& report, ImageStore& images, ObjectId id, const char* tag, const std::string& list) {
  const auto& object = report.resolution.objects[id];
  for (const auto element : split(list, ":")) {
    const bool relative = element.empty() || (element.front() != '/' && element.front() != '$');
    const bool missing_build_path =
        !relative && element.front() == '/' && is_build_path(element) && !images.folder_exists(std::string(element));
    if (!relative && !missing_build_path) continue;
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
    report.findings.push_back(std::move(finding));
    return;  // one of a list is enough
  }
}

}  // namespace

void check_search_paths(const Case& given) {
  auto& report = given.report;
  auto& images = given.store.images;
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id) {
    const auto& image = *report.resolution.objects[id].image;
    if (image.elf.runpath) {
      check_list(report, images, id, "DT_RUNPATH", *image.elf.runpath);
    } else if (image.elf.rpath) {
      check_list(report, images, id, "DT_RPATH", *image.elf.rpath);
    }
  }
}

}  // namespace cudald

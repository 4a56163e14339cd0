#include "report/text/place.h"

#include <fmt/format.h>

#include <cudald/report.h>

#include "base/path.h"
#include "base/utf8.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

constexpr std::string_view inside_archive = "!/";

/// What stays of a path when it moves: the member of a package, else the name of the file.
std::string_view lasting_part(std::string_view path) {
  if (const auto archive = path.find(inside_archive); archive != std::string_view::npos)
    return path.substr(archive + inside_archive.size());
  const auto end = path.find_last_of("/\\");
  return end == std::string_view::npos ? path : path.substr(end + 1);
}

}  // namespace

std::string name_of_question(const Report& report) {
  const auto& targets = report.resolution.targets;
  for (const auto& target : targets)
    if (!target.part_of) return target.given;
  return report.query.targets.empty() ? std::string("nothing") : report.query.targets.front();
}

Place place_of(const Report& report, const Finding& finding) {
  const auto& objects = report.resolution.objects;
  if (finding.object && *finding.object < objects.size()) {
    const auto& object = objects[*finding.object];
    const bool member = object.path.find(inside_archive) != std::string::npos;
    const bool known_target = object.target < report.resolution.targets.size();
    return {known_target ? whole_target(report, *finding.object).given : name_of_question(report),
            member ? object.path : std::string(file_name(object.path))};
  }
  for (const auto& target : report.resolution.targets)
    if (!target.part_of && target.given == finding.subject) return {target.given, ""};
  const bool member = finding.subject.find(inside_archive) != std::string::npos;
  return {name_of_question(report), member ? finding.subject : ""};
}

std::string fingerprint_of(const Report& report, const Finding& finding) {
  const auto place = place_of(report, finding);
  return valid_utf8(fmt::format("{}:{}:{}", finding.code, lasting_part(place.object), lasting_part(finding.subject)));
}

}  // namespace cudald

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "common/example_report.h"

namespace cudald {

/// What a writer makes of these reports.
inline std::string document(std::unique_ptr<DocumentWriter> writer, const std::vector<Report>& reports) {
  for (const auto& report : reports) writer->add(report);
  return written([&](std::ostream& out) { writer->finish(out); });
}

/// failing_report() with what else formats tell: packages with a version and without, soft requests that come to
/// nothing in each way, and a finding of each level.
inline Report varied_report() {
  auto report = failing_report();
  auto& objects = report.resolution.objects;
  objects[1].package = PackageName{"foo", "1.0"};
  objects[2].package = PackageName{"libc", ""};
  Edge missing, refused, on_use;
  missing.name = "libsoft.so";
  missing.kind = EdgeKind::dlopen;
  missing.hard = false;
  refused.name = "librefused.so";
  refused.status = EdgeStatus::rejected;
  on_use.name = "libuse.so";
  on_use.kind = EdgeKind::dlopen;
  on_use.hard = false;
  on_use.status = EdgeStatus::not_loaded;
  on_use.search.probes = {{"/a/libuse.so", SearchRule::cache, std::nullopt, ProbeResult::found, "", false, false}};
  objects[0].edges.insert(objects[0].edges.end(), {missing, refused, on_use});
  Finding warning, note;
  warning.code = "CUD109";
  warning.name = "shadowed";
  warning.level = Level::warning;
  warning.object = 2;
  warning.message = "one hides the other";
  note.code = "CUD904";
  note.name = "unreadable";
  note.level = Level::note;
  note.subject = "a.whl!/b.so";
  note.message = "nothing of it is known";
  report.findings.insert(report.findings.end(), {warning, note});
  return report;
}

/// A name with all that formats may stumble over: escape codes, markup, ends of CDATA and of commands, several lines,
/// a character that turns text around, one that XML does not have, and bytes that are no UTF-8.
inline const std::string hostile_name =
    "lib\x1b[31m<script>alert(1)</script>]]>\"';::error::x\n::add-mask::%0A`|**b** @all #1 \\N --> }%%{\xe2\x80\xae"
    "\xef\xbf\xbf\xff\xc3(.so";

/// failing_report() with that name wherever a name from a file may stand.
inline Report hostile_report() {
  auto report = failing_report();
  auto& edge = report.resolution.objects[1].edges[0];
  edge.name = hostile_name;
  edge.error = hostile_name + ": cannot open shared object file";
  report.resolution.objects[1].path = "/opt/" + hostile_name;
  report.resolution.objects[1].package = PackageName{hostile_name, hostile_name};
  report.resolution.targets[0].given = hostile_name;
  report.headline = hostile_name + " does not load";
  auto& finding = report.findings[0];
  finding.subject = hostile_name;
  finding.message = hostile_name + " is nowhere";
  finding.consequence = hostile_name;
  for (auto& evidence : finding.evidence) evidence.text = evidence.path = hostile_name;
  for (auto& fix : finding.fixes) fix.title = fix.command = fix.side_effect = hostile_name;
  finding.does_not_help = {hostile_name};
  return report;
}

/// Whether a text has no control character but newlines, and is valid UTF-8.
bool is_harmless(std::string_view);

}  // namespace cudald

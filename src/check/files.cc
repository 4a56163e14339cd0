#include <fmt/format.h>

#include "check/checks.h"

namespace cudald {

void check_files(Report& report, ImageStore&) {
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id) {
    const auto& object = report.resolution.objects[id];
    for (const auto& defect : object.image->defects) {
      auto finding = make_finding(defect.limit ? "CUD902" : "CUD901");
      finding.object = id;
      finding.subject = short_name(object);
      finding.message = fmt::format("{}: {}", short_name(object), defect.message);
      finding.consequence = defect.limit ? "Nothing is claimed beyond that."
                                         : "What is healthy in the file was judged; the loader itself may crash on the rest.";
      finding.evidence.push_back({defect.offset ? fmt::format("{} at offset {:#x}", defect.message, *defect.offset)
                                                : defect.message,
                                  object.path, Basis::proven, ""});
      report.findings.push_back(std::move(finding));
      break;  // one is enough to know that the file is damaged
    }
  }
  if (report.symbols && !report.symbols->complete) {
    auto finding = make_finding("CUD901");
    finding.message = "a symbol or hash table is damaged, so some symbols could not be looked up";
    finding.consequence = "Missing symbols may be more or fewer than reported.";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace cudald

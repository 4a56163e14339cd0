#include <fmt/format.h>

#include <cudald/writers.h>

#include "report/finding_text.h"
#include "report/summary.h"
#include "report/text.h"

namespace cudald {

void write_findings(const Report& report, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  if (style.verbosity < 0) {
    write_verdict(report, text);
    return;
  }
  FindingText findings(report, text);
  for (const Finding& finding : report.findings) {
    if (style.verbosity > 0) {
      findings.tell(finding);
      text.line();
      continue;
    }
    const Object* object = finding.object ? &report.resolution.objects[*finding.object] : nullptr;
    const bool names_file = object == nullptr || finding.message.find(object->path) != std::string::npos;
    text.line(findings.brief(finding) + (names_file ? "" : fmt::format("  ({})", escaped(object->path))));
  }
  write_verdict(report, text);
  text.line(counts_line(report));
}

}  // namespace cudald

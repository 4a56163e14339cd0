// Of a symbol that nothing defines, what the table of messages says: some names tell which builds do not go together,
// as the globals of PHP, which one that is thread-safe does not have.
#include <cudald/message.h>

#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/php_part.h"

namespace cudald {

void check_known_symbols(const Case& given) {
  if (!given.report.symbols || !given.report.query.fixes) return;
  for (auto& finding : given.report.findings) {
    if (finding.code != "CUD201" || !finding.object || !finding.fixes.empty() || finding.subject.empty() ||
        finding.subject.starts_with("_Z"))  // of C++, the libraries of the process tell more
      continue;
    if (add_php_part(given, finding)) continue;
    const auto known = read_message("undefined symbol: " + finding.subject, knowledge_of(given.report));
    // Who comes first in LD_LIBRARY_PATH, other checks prove or refute.
    if (!known || known->fix.empty() || known->about_search) continue;
    finding.message += ": " + known->means;
    finding.evidence.push_back({"what that name says of the build", "", Basis::table, known->source});
    finding.fixes.push_back({known->fix, known->command, ""});
  }
}

}  // namespace cudald

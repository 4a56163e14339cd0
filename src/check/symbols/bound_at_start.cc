// Of functions that nothing defines, a load fails at once only where all are looked up at the start. Where a variable
// asks for that, and no file, what fails is known without it as well: hardened shells and CI jobs set LD_BIND_NOW.
// Source: ld.so(8), LD_BIND_NOW.
#include <algorithm>

#include "check/findings/checks.h"

namespace cudald {

void check_bound_at_start(const Case& given) {
  const auto& symbols = given.report.symbols;
  if (!symbols) return;
  for (auto& finding : given.report.findings) {
    if (finding.code != "CUD201" || !finding.object || finding.level != Level::error) continue;
    const auto is_of_it = [&](const MissingSymbol& each) { return each.object == *finding.object && !each.lazy; };
    const auto is_by_itself = [&](const MissingSymbol& each) { return is_of_it(each) && !each.by_variable; };
    const auto& missing = symbols->missing;
    if (std::none_of(missing.begin(), missing.end(), is_of_it) ||
        std::any_of(missing.begin(), missing.end(), is_by_itself))
      continue;
    finding.message +=
        "; LD_BIND_NOW looks up all functions at the start; without it, this one is looked up when it is called";
    finding.evidence.push_back({"LD_BIND_NOW is set, and neither the file nor its caller asks for that", "",
                                Basis::rule, "ld.so(8), LD_BIND_NOW"});
    finding.fixes.push_back({"load it without looking up all functions", "unset LD_BIND_NOW",
                             "the first call of the function that is missing ends the process"});
  }
}

}  // namespace cudald

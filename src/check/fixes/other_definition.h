#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// The clause that says who defines missing symbols of one file, if not a file that its search reaches: "which nothing
/// in the process defines", "which libpam.so.0 defines, but in a local scope". At least one symbol is given.
std::string who_defines(const Report&, const std::vector<const MissingSymbol*>&);

/// What follows from that for the finding: evidence, and what makes the definition visible.
void add_other_definition(const Report&, const std::vector<const MissingSymbol*>&, Store&, Finding&);

}  // namespace cudald

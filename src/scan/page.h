#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "scan/totals.h"

namespace cudald {

/// One page about all targets: by finding, by package, and what could not be judged. `missing`: targets of the list
/// without a record.
void write_totals_page(const Totals&, const std::vector<std::string>& missing, std::ostream&);

}  // namespace cudald

#pragma once

#include <vector>

#include <cudald/report.h>

#include "report/text/text.h"

namespace cudald {

/// The findings for which the verdict is what it is, where all begin with libraries that are missing or unusable; empty
/// otherwise.
std::vector<const Finding*> decisive_missing_libraries(const Report&);

/// The first line where several are missing: "train does not load: 2 libraries not found".
std::string headline_of_missing(const Report&, const std::vector<const Finding*>&);

/// One line for each library, with who needs it, why it is not loaded and what helps; then where it was searched.
void write_missing_libraries(const Report&, const std::vector<const Finding*>&, TextWriter&);

}  // namespace cudald

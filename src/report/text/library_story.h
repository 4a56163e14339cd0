#pragma once

#include <cudald/resolution.h>

#include "report/text/text.h"

namespace cudald {

struct Report;  // cudald/report.h

/// Tells of one library only, style().library: who asks for it and how it was found, or not.
void write_library_story(const Report&, TextWriter&);

}  // namespace cudald

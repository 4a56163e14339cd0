#pragma once

#include <cudald/report.h>

#include "report/text.h"

namespace cudald {

/// Tells of one library only, style().library: who asks for it and how it was found, or not.
void write_library_story(const Report&, TextWriter&);

}  // namespace cudald

#pragma once

#include <cudald/probe.h>

#include "report/text/text.h"

namespace cudald {

/// What was loaded for real, and what the CUDA libraries among it answered.
void write_probe(const ProbeReport&, TextWriter&);

}  // namespace cudald

#pragma once

#include <cudald/report.h>

namespace cudald {

/// Adds to a report that was probed the findings CUD601 to CUD604, and what they mean for its verdict and headline.
void judge_probe(Report&);

}  // namespace cudald

#pragma once

namespace cudald {

struct Report;  // cudald/report.h

/// Adds to a report that was probed the findings CUD601 to CUD604, and what they mean for its verdict and headline.
void judge_probe(Report&);

}  // namespace cudald

#pragma once

#include <cudald/deployment.h>

namespace cudald {

/// Judges a lock as a whole: adds to the report of all in one process what follows from the pins and from what the
/// packages bring, and sets its verdict and headline, and what the deployment needs and costs. What the simulation has
/// found itself is not said twice.
void judge_deployment(Deployment&);

}  // namespace cudald

#pragma once

#include <cstddef>
#include <vector>

#include <cudald/report.h>

namespace cudald {

/// What the imports of a report ask for for sure and no file can tell, in order. Of compiled modules only that is known
/// what they may ask for: it is not among these.
std::vector<const Import::Unfollowed*> certainly_unfollowed(const Report&);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/report.h>

namespace cudald {

/// Why the answer after a repair is worse than the one before: its verdict is, or there is a new error or warning.
/// Empty if it is at least as good.
std::string worse_than_before(const Report& before, const Report& after);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/result.h>
#include <cudald/wheel.h>

namespace cudald {

/// The platform tag that a wheel gets by a repair: the oldest that its files fit, if libraries from outside come with
/// other packages; empty if it has one of its family already, which its author has chosen. An Error if there is none.
Result<std::string> platform_of_repaired(const WheelReport&);

/// What the author should know of the tag that a wheel has: its files fit a newer one only. Empty if they fit it.
std::string doubt_of_platform(const WheelReport&);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/environment.h>

namespace cudald {

/// The day that it is, or that of SOURCE_DATE_EPOCH: "2026-11-22"; or so many days before. Such texts have the order of
/// the days.
std::string today_of(const Environment&, int days_before = 0);

}  // namespace cudald

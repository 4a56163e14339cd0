#pragma once

namespace cudald {

inline constexpr int exit_fine = 0;
inline constexpr int exit_findings =
    1;  ///< findings at or above --fail-on; for why, tree --invert and provides: no such library; for diff: they differ
inline constexpr int exit_usage = 2;       ///< nothing was analysed
inline constexpr int exit_incomplete = 3;  ///< some input could not be read, or the output not be written
inline constexpr int exit_bug = 4;

}  // namespace cudald

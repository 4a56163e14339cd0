#pragma once

#include <cstdint>
#include <optional>

#include <cudald/limits.h>

#include "cli/options/options.h"
#include "cli/output/host.h"

namespace cudald {

/// A description of a machine: how much of it is read. A workstation with CUDA and symbols comes to 8 MB.
inline constexpr std::uint64_t most_host_bytes = std::uint64_t{32} << 20;
inline constexpr CostLimits host_limits{.kept = std::uint64_t{128} << 20};

/// Reads the description of a machine that --host names into the options: what it states and they do not.
std::optional<Error> take_host(Options&, const Host&);

}  // namespace cudald

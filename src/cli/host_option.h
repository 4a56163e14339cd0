#pragma once

#include <optional>

#include "cli/options.h"
#include "cli/run.h"

namespace cudald {

/// Reads the description of a machine that --host names into the options: what it states and they do not.
std::optional<Error> take_host(Options&, const Host&);

}  // namespace cudald

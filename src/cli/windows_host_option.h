#pragma once

#include <optional>

#include "cli/options.h"
#include "cli/run.h"

namespace cudald {

/// Reads the description of a Windows machine that --host names, if it is one.
std::optional<Error> take_windows_host(Options&, const Host&);

}  // namespace cudald

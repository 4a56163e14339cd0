#pragma once

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// `cudald diff A B`. Returns the exit status, or Error{usage} with one line.
Result<int> diff(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

#pragma once

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// `cudald scan`. Returns the exit status, or Error{usage} with one line. It forks, so no thread may be running.
Result<int> scan(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

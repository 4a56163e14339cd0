#pragma once

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// `cudald merge`. Returns the exit status, or Error{usage} with one line.
Result<int> merge(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

#pragma once

#include <cudald/writers.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"

namespace cudald {

/// `cudald env`. Returns the exit status, or Error{usage} with one line.
Result<int> env(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

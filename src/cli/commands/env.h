#pragma once

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// `cudald env`. Returns the exit status, or Error{usage} with one line.
Result<int> env(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

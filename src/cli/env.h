#pragma once

#include <optional>

#include <cudald/report.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"

namespace cudald {

/// `cudald env`. Returns the exit status, or Error{usage} with one line.
Result<int> env(const Options&, const TextStyle&, const Host&, Output&);

/// Takes driver, GPUs and processor out of the description that --host names, where no option says otherwise.
std::optional<Error> take_host(Options&, const Host&);

}  // namespace cudald

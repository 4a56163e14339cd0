#pragma once

#include <cudald/result.h>
#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// Repairs files, writes the new ones and tells what changed; the exit status: 0 if all are written, 1 if a result is
/// not as good as its file, 3 if one cannot be read or edited. Then nothing is written. Error{usage}: nothing was done.
Result<int> repair(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

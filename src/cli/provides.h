#pragma once

#include <cudald/format.h>
#include <cudald/result.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/run.h"

namespace cudald {

/// Who carries libraries, and what packages carry; the exit status. Error{usage} if nothing was asked.
Result<int> provides(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

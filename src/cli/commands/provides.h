#pragma once

#include <cudald/format.h>
#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// Who carries libraries, and what packages carry; the exit status. Error{usage} if nothing was asked.
Result<int> provides(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

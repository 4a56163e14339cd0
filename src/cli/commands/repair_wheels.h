#pragma once

#include <cudald/result.h>
#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// The same for wheels, each by itself: what can be repaired is written into `options.wheel_dir`.
Result<int> repair_wheels(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

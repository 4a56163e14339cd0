#pragma once

#include <cudald/probe.h>

#include "cli/options/options.h"

namespace cudald {

/// How targets are loaded for real: the program for it lies beside this one, or where it was installed.
ProbeSettings probe_settings(const Options&);

}  // namespace cudald

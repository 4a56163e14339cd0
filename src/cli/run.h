#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/output/host.h"

namespace cudald {

/// What `--version` alone says, which hangs on nothing that the host or a configuration says: scripts ask for it often.
/// Returns the exit status.
int tell_version(std::ostream& complaints);
/// Does what the command line says; returns the exit status.
int run(const std::vector<std::string>& words, const Host&);

}  // namespace cudald

#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include <cudald/environment.h>

#include "cli/terminal.h"

namespace cudald {

/// What a run takes from the host, besides the files.
struct Host {
  Environment environment;
  Terminal terminal;
  std::istream& input;
  std::ostream& complaints;  ///< standard error
};

/// What `--version` alone says, which hangs on nothing that the host or a configuration says: scripts ask for it often.
/// Returns the exit status.
int tell_version(std::ostream& complaints);
/// Does what the command line says; returns the exit status.
int run(const std::vector<std::string>& words, const Host&);

}  // namespace cudald

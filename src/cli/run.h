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

/// Does what the command line says; returns the exit status.
int run(const std::vector<std::string>& words, const Host&);

}  // namespace cudald

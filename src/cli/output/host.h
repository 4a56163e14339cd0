#pragma once

#include <iosfwd>

#include <cudald/environment.h>

#include "cli/output/terminal.h"

namespace cudald {

/// What a run takes from the host, besides the files.
struct Host {
  Environment environment;
  Terminal terminal;
  std::istream& input;
  std::ostream& complaints;  ///< standard error
};

}  // namespace cudald

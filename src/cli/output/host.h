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
  std::ostream& complaints;    ///< standard error
  bool whole_process = false;  ///< this process answers nothing else, so that it may give up what the answer needs not
};

}  // namespace cudald

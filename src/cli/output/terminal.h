#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/progress.h"

namespace cudald {

/// What the host says about the place where text will be read.
struct Terminal {
  bool output_is_terminal = false, errors_are_terminal = false;
  bool utf8 = false;
  std::size_t columns = 0;                       ///< 0: unknown
  std::map<std::string, std::string> variables;  ///< NO_COLOR, PAGER and so on
};

/// Of this process.
Terminal host_terminal();

/// How text is to be written, from what the user asked for and where it will be read.
TextStyle make_style(const Options&, const Terminal&);

/// How progress is to be shown.
Progress::Style progress_style(const Options&, const Terminal&);

/// The pager's command, or empty: none is wanted or there.
std::string pager_command(const Options&, const Terminal&);

}  // namespace cudald

#pragma once

#include <ostream>

#include "cli/options.h"
#include "cli/settings.h"

namespace cudald {

/// `config show` and `config init`.
void write_config(const Options&, const Settings&, std::ostream&);

}  // namespace cudald

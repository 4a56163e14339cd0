#pragma once

#include <ostream>

#include "cli/options/options.h"
#include "cli/options/settings.h"

namespace cudald {

/// `config show` and `config init`.
void write_config(const Options&, const Settings&, std::ostream&);

}  // namespace cudald

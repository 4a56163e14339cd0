#pragma once

#include <optional>
#include <ostream>

#include <cudald/writers.h>

#include "cli/options/options.h"

namespace cudald {

/// Help for one command, or with nullopt for cudald as a whole; the long form has each option's
/// details.
void write_help(std::optional<Command>, bool in_full, const TextStyle&, std::ostream&);

/// The man page (man(7) macros): the text of man/cudald.1.in with commands, options and findings
/// filled in.
void write_man_page(std::ostream&);

}  // namespace cudald

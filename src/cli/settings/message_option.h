#pragma once

#include <optional>

#include "cli/options/options.h"
#include "cli/output/host.h"

namespace cudald {

/// Reads the message of --error, from standard input for "-", and makes the library that it names the one that the
/// answer is about.
void read_message_option(Options&, const Host&);

/// What the message adds to the question, once the tables and the machine are known: a target, where none is named, and
/// what helps. Error{usage} where neither the message is known nor a target named.
std::optional<Error> apply_message_option(Options&, const Host&);

}  // namespace cudald

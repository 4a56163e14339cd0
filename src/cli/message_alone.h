#pragma once

#include <cudald/message.h>

#include "cli/options/options.h"

namespace cudald {

/// What helps against a message that was pasted without a target, as far as the message and this machine tell: the
/// release that has a name, the build of a framework that fits, the package that provides a library.
void complete_alone(MessageReading&, const Options&);

}  // namespace cudald

#pragma once

#include <cudald/message.h>
#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Something that lies where the import looks for packages; its path is empty if that is not known.
Object place_of_packages(const Report&);

/// Tells that the module which the message names lacks the name because of its release, by the table, and which one has
/// it. False if the table does not know the name, or the installed release has it.
bool tell_changed_name(const Report&, const MessageReading&, Store&, Finding&);

/// Tells of a source that the message names, and that is not the one which is imported here: Python was started where
/// it comes first. False if the message names none that is there.
bool tell_other_source(Store&, const MessageReading&, Finding&);

}  // namespace cudald

#pragma once

#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/message.h>

namespace cudald {

/// Puts what follows from the names in a message into its fix: the releases that have a name which a module lacks,
/// before what the row of the message says; the systems with a glibc, or the libstdc++ for an environment of conda.
void add_help_by_names(MessageReading&);

/// What else is known to help where a message is asked about alone, without a file or module in which its cause could
/// be seen: the build that fits, the package with the library. `files` is the system that commands are for.
void add_help_alone(MessageReading&, const FileSystem& files, const Knowledge&);

}  // namespace cudald

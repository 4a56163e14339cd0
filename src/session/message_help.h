#pragma once

#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/message.h>

namespace cudald {

/// Completes the fix of a message that is asked about alone, without a file or module in which its cause could be seen:
/// by the names in it and the tables. Where a release removed or added such a name, that comes before what the row of
/// the message says; everything else comes where the row says nothing, or no command. `files` is the system that
/// commands are for.
void add_help(MessageReading&, const FileSystem& files, const Knowledge&);

}  // namespace cudald

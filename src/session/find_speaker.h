#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/message.h>
#include <cudald/query.h>

namespace cudald {

/// The module of the Python that the query means which prints such a message; where any module may, the only one there
/// that uses the GPU, if the message names a library of CUDA. Empty if none is there.
std::string find_speaker(const MessageReading&, const Query&, const FileSystem&);

}  // namespace cudald

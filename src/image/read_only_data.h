#pragma once

#include <string_view>

#include <cudald/file_system.h>
#include <cudald/image.h>

namespace cudald {

/// Whether the bytes that a file maps without the right to write hold this text. Reads 64 MB at most, so a large file
/// may hold it further on.
bool read_only_data_holds(const File&, const Image&, std::string_view text);

}  // namespace cudald

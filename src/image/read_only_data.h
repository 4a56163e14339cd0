#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <cudald/file_system.h>
#include <cudald/image.h>

namespace cudald {

/// What stands behind `beginning`, up to the string's end, in the bytes that a file maps without the right to write:
/// of the first place where a digit follows, or with `any` of the first place. Reads 64 MB at most, so a large file may
/// hold it further on.
std::optional<std::string> read_only_text(const File&, const Image&, std::string_view beginning, bool any = false);

}  // namespace cudald

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <cudald/file_system.h>

namespace cudald {

/// The bytes as a gzip file, the same for the same bytes.
Result<std::string> gzip(std::string_view bytes);

/// Reads a whole file of at most `limit` bytes, decompressed if it is compressed in one of the ways that are known by
/// a file's first bytes. Error{limit} if it has more.
Result<std::string> read_plain_or_compressed(const FileSystem&, const std::string& path, std::uint64_t limit);

}  // namespace cudald

#pragma once

#include <cstdint>
#include <optional>

#include <cudald/file_system.h>

#include "archive/zip_problem.h"

namespace cudald {

/// Where the directory of an archive lies, as its end record and the file's own size say together.
struct ZipEnd {
  std::uint64_t directory_start{};  ///< file offset
  std::uint64_t directory_size{};   ///< bytes; start + size lie inside the file
  std::uint64_t stated_count{};     ///< of members
  std::uint64_t prefix{};           ///< bytes in front of the archive, to be added to its own offsets
};

/// Finds the end record as Python's zipfile does; nullopt and a fatal problem if there is no way to the directory.
Result<std::optional<ZipEnd>> find_zip_end(const File&, ZipProblems&);

}  // namespace cudald

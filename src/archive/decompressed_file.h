#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <cudald/file_system.h>

#include "archive/stream_budget.h"

namespace cudald {

enum class Compression { none, gzip, zstd, bzip2, xz };

/// By its first bytes.
Compression compression_of(const File&);
/// Whether the decompressed bytes can only be read in one pass from the beginning.
constexpr bool is_sequential(Compression compression) {
  return compression != Compression::none && compression != Compression::gzip;
}

/// Why neither tars nor such streams can be read on this machine: libarchive is needed for them, and is not installed.
/// For whoever would take an error for damage of the file.
std::optional<Error> missing_archive_library();

/// The size of a decompressed file: how long it is, only its end tells.
constexpr std::uint64_t unknown_size = std::numeric_limits<std::int64_t>::max();

/// The bytes of a compressed file. Of zstd, bzip2 and xz, a read in front of the last 4 MiB that went by starts
/// decompressing anew; of gzip it goes on from a restart point. Memory does not depend on the size. Errors: malformed
/// for damaged data, limit for what inflates beyond all proportion, at once or by going back (see StreamBudget).
std::shared_ptr<const File> make_decompressed_file(std::shared_ptr<const File>, Compression, std::string name,
                                                   std::shared_ptr<StreamBudget> = nullptr);

}  // namespace cudald

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cudald {

/// Where such files are made: $TMPDIR, or else /tmp. Empty on Windows, where the system decides.
std::string scratch_directory();

/// The descriptor of a new file without a name: nothing is left of it when the program ends, whatever ends it. -1 if
/// none can be made.
int open_scratch_file();

/// Reads all of `into`, writes all of `bytes`; false if that fails.
bool read_at(int file, std::uint64_t offset, std::span<std::byte> into);
bool write_at(int file, std::uint64_t offset, std::span<const std::byte> bytes);

}  // namespace cudald

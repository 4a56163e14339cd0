#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <cudald/gpu_code.h>

#include "binary/bytes/file_window.h"

namespace cudald {

// Fatbins: where nvcc puts GPU code, one entry for each architecture. No manual describes the layout; it is the one
// that cuobjdump reads in the files of CUDA 10 to 13. Containers: magic 0xba55ed50, u16 version, u16 size of this
// header, u64 size of all entries. Entries: u16 kind (1 PTX, 2 SASS), at 4 u32 size of this header, at 8 u64 size of
// the code, at 28 u32 architecture, at 40 u64 flags.

constexpr std::uint64_t fatbin_header_bytes = 16;

/// A container in a block of bytes.
struct FatbinPlace {
  std::size_t at{};
  std::uint64_t size{};  ///< with its header; it may run past the block
};

/// The first container whose header lies in a block that stands at `offset` of its file.
std::optional<FatbinPlace> find_fatbin(std::string_view block, std::uint64_t offset);

/// The windows must have a budget.
/// Counts what the containers of a section hold, one after another with zeros between. Stops with a defect where the
/// bytes are no container. Those that were met need not be read again.
void read_fatbins(FileWindow&, std::uint64_t offset, std::uint64_t size, const MetFatbins&, GpuCode&);

/// Counts the entries of the container at `offset`; returns its end, nullopt and a defect if it has none before `end`.
std::optional<std::uint64_t> read_fatbin(FileWindow&, std::uint64_t offset, std::uint64_t end, GpuCode&);

}  // namespace cudald

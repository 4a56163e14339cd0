#pragma once

#include <cstdint>

namespace cudald {

/// The kinds of files by the mode that an archive states, on whatever system it is read. Source: POSIX ustar,
/// inode(7).
namespace unix_mode {
constexpr std::uint32_t kind = 0170000, pipe = 0010000, character_device = 0020000, directory = 0040000,
                        block_device = 0060000, regular = 0100000, link = 0120000, socket = 0140000;
}  // namespace unix_mode

}  // namespace cudald

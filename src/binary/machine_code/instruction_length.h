#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cudald {

/// How many bytes the instruction of x86-64 has that begins here; 0 if none does, or the bytes end within it.
std::size_t instruction_length(std::span<const std::byte> code);

}  // namespace cudald

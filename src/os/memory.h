#pragma once

#include <cstddef>
#include <string_view>

namespace cudald {

/// Hands what was freed back to the system, as far as the C library can: worth its while after much was freed, where
/// large blocks are asked for next.
void give_memory_back();

/// Where the first `part` begins in `bytes`, in linear time, be they as alike as they may; npos if nowhere.
std::size_t find_in_memory(std::string_view bytes, std::string_view part);

/// Zeros that are taken page by page as they are written, unlike what calloc may give. Throws std::bad_alloc.
char* take_zeros(std::size_t size);
void release_zeros(char*, std::size_t size);

}  // namespace cudald

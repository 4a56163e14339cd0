#pragma once

#include <cstdint>

namespace cudald {

struct Image;  // cudald/image.h

/// Whether the loader can read an address of a file, or write to it: the kernel maps whole pages, so what lies beside a
/// load segment in its first or last page is there as well. What is not ends the process with SIGSEGV.
/// Source: mmap(2); glibc elf/dl-map-segments.h.
bool is_mapped(const Image&, std::uint64_t address);
bool is_mapped_writable(const Image&, std::uint64_t address);

}  // namespace cudald

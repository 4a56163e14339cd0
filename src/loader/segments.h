#pragma once

#include <string_view>

#include <cudald/environment.h>
#include <cudald/image.h>

namespace cudald {

/// What glibc's ld.so says of the load segments of a file that it refuses to map; empty if it maps them.
/// Source: glibc elf/dl-load.c, _dl_map_object_from_fd, up to 2.34 and since; elf/dl-map-segments.h.
std::string_view refusal_of_segments(const Image&, const LibcVersion&);
/// The same of the address space that they take.
std::string_view refusal_of_memory(const Image&);

/// What the kernel's "no" to an executable mapping makes of a file on a file system that is mounted noexec.
/// Source: mmap(2), EPERM; glibc elf/dl-load.h, DL_MAP_SEGMENTS_ERROR_MAP_SEGMENT.
inline constexpr std::string_view segment_not_mapped = "failed to map segment from shared object";
inline constexpr std::string_view segment_misaligned = "ELF load command address/offset not properly aligned";

/// Whether a file has code, so that its file system has to allow execution.
bool has_executable_segment(const Image&);

}  // namespace cudald

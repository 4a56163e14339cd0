#include "loader/segments.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace cudald {
namespace {

constexpr std::uint64_t page_size = 4096, most_memory = std::uint64_t{1} << 47;

// _dl_map_segments: one mapping from the first segment's start to the last one's end, and its alignment more.
bool fits_into_memory(const std::vector<LoadSegment>& segments) {
  const auto start = segments.front().address, last = segments.back().address, size = segments.back().memory_size;
  std::uint64_t alignment = 0;
  for (const auto& segment : segments)
    if (std::has_single_bit(segment.alignment)) alignment = std::max(alignment, segment.alignment);
  return last >= start && last - start < most_memory && size < most_memory && alignment < most_memory &&
         last - start + size + alignment < most_memory;
}

std::string_view refusal_of_alignment(const LoadSegment& segment, const LibcVersion& libc) {
  const auto distance = segment.address - segment.offset;
  if (libc.at_least(2, 35))
    return (distance & (page_size - 1)) == 0 ? "" : "ELF load command address/offset not page-aligned";
  if ((segment.alignment & (page_size - 1)) != 0) return "ELF load command alignment not page-aligned";
  return (distance & (segment.alignment - 1)) == 0 ? "" : segment_misaligned;
}

}  // namespace

std::string_view refusal_of_segments(const Image& image, const LibcVersion& libc) {
  const auto& segments = image.elf.load_segments;
  for (const auto& segment : segments)
    if (const auto text = refusal_of_alignment(segment, libc); !text.empty()) return text;
  if (segments.empty()) return "object file has no loadable segments";
  return "";
}

std::string_view refusal_of_memory(const Image& image) {
  const auto& segments = image.elf.load_segments;
  // Memory beyond the file's bytes is mapped piece by piece; only the last segment counts for the whole. An end so
  // high that the load address makes it overflow lies below the file's bytes: nothing is mapped.
  for (const auto& segment : segments) {
    const auto end = segment.address + segment.memory_size;
    if (end >= most_memory && end < -most_memory && &segment != &segments.back()) return "cannot map zero-fill pages";
  }
  return fits_into_memory(segments) ? "" : segment_not_mapped;
}

bool has_executable_segment(const Image& image) {
  // Descriptions of machines do not say it: nearly every library has code.
  if (image.source == ImageSource::description) return true;
  const auto& segments = image.elf.load_segments;
  return std::any_of(segments.begin(), segments.end(), [](const LoadSegment& segment) { return segment.executable; });
}

}  // namespace cudald

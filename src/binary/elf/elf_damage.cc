#include "binary/elf/elf_damage.h"

#include <algorithm>

#include <cudald/image.h>

namespace cudald {
namespace {

bool covers(const LoadSegment& segment, std::uint64_t address) {
  constexpr std::uint64_t in_page = 4095;
  const auto end = segment.address + segment.memory_size;
  if (end < segment.address || end + in_page < end) return address >= (segment.address & ~in_page);
  return address >= (segment.address & ~in_page) && address < ((end + in_page) & ~in_page);
}

}  // namespace

bool is_mapped(const Image& image, std::uint64_t address) {
  const auto& segments = image.elf.load_segments;
  return std::any_of(segments.begin(), segments.end(),
                     [&](const LoadSegment& segment) { return covers(segment, address); });
}

bool is_mapped_writable(const Image& image, std::uint64_t address) {
  const auto& segments = image.elf.load_segments;
  return std::any_of(segments.begin(), segments.end(),
                     [&](const LoadSegment& segment) { return segment.writable && covers(segment, address); });
}

}  // namespace cudald

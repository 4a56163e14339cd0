#include "image/read_only_data.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cudald {
namespace {

constexpr std::uint64_t most_data = std::uint64_t{64} << 20;
constexpr std::size_t block_size = 1 << 20;

struct Range {
  std::uint64_t offset, size;
};

std::vector<Range> read_only_ranges(const Image& image) {
  std::vector<Range> ranges;
  for (const auto& segment : image.load_segments)
    if (!segment.writable) ranges.push_back({segment.offset, segment.file_size});
  // Small files may have one segment for all.
  if (ranges.empty())
    for (const auto& segment : image.load_segments) ranges.push_back({segment.offset, segment.file_size});
  if (image.pe)
    for (const auto& section : image.pe->sections)
      if (section.name == ".rdata" || section.name == ".text") ranges.push_back({section.offset, section.file_size});
  return ranges;
}

bool holds(const std::vector<std::byte>& bytes, std::string_view text) {
  return memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
}

}  // namespace

bool read_only_data_holds(const File& file, const Image& image, std::string_view text) {
  std::uint64_t left = most_data;
  std::vector<std::byte> block;
  for (const auto& range : read_only_ranges(image)) {
    const auto start = std::min(range.offset, image.file_size);
    const auto end = start + std::min({range.size, image.file_size - start, left});
    // Blocks overlap by the text's length less one.
    for (auto at = start; at < end; at += block_size) {
      block.resize(std::min<std::uint64_t>(block_size + text.size() - 1, end - at));
      const auto got = file.read(at, block);
      block.resize(got ? *got : 0);
      if (holds(block, text)) return true;
    }
    left -= end - start;
  }
  return false;
}

}  // namespace cudald

#include "image/read_only_data.h"

#include <algorithm>
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

constexpr std::size_t longest_text = 128;

/// In a block of bytes.
std::optional<std::string> text_in(const std::vector<std::byte>& bytes, std::string_view beginning, bool any) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (auto at = all.find(beginning); at != std::string_view::npos; at = all.find(beginning, at + 1)) {
    const auto rest = all.substr(at + beginning.size(), longest_text);
    if (any || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9'))
      return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_only_text(const File& file, const Image& image, std::string_view beginning, bool any) {
  std::uint64_t left = most_data;
  std::vector<std::byte> block;
  for (const auto& range : read_only_ranges(image)) {
    const auto start = std::min(range.offset, image.file_size);
    const auto end = start + std::min({range.size, image.file_size - start, left});
    // Blocks overlap by the longest text.
    for (auto at = start; at < end; at += block_size) {
      block.resize(std::min<std::uint64_t>(block_size + beginning.size() + longest_text, end - at));
      const auto got = file.read(at, block);
      block.resize(got ? *got : 0);
      if (auto text = text_in(block, beginning, any)) return text;
    }
    left -= end - start;
  }
  return std::nullopt;
}

}  // namespace cudald

#include "image/mapped_bytes.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include <cudald/image.h>

#include "image/fatbin.h"

namespace cudald {
namespace {

constexpr std::uint64_t mapped_block = 1 << 18;

bool lies_in_file(const LoadSegment& segment, const Image& image) {
  return segment.offset <= image.file_size && segment.file_size <= image.file_size - segment.offset;
}

/// In the order of the file, each byte once.
std::vector<FileRange> mapped_ranges(const Image& image) {
  std::vector<FileRange> ranges;
  for (const auto& segment : image.elf.load_segments)
    if (lies_in_file(segment, image)) ranges.push_back({segment.offset, segment.file_size});
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  if (ranges.empty()) ranges.push_back({0, image.file_size});
  return disjoint(std::move(ranges));
}

}  // namespace

std::uint64_t mapped_size(const Image& image) {
  std::uint64_t end = 0;
  for (const auto& segment : image.elf.load_segments)
    if (lies_in_file(segment, image)) end = std::max(end, segment.offset + segment.file_size);
  return end == 0 ? image.file_size : end;
}

MappedBytes::MappedBytes(const File& file, const Image* image) {
  const auto size = image == nullptr ? file.status().size : mapped_size(*image);
  // Memory that is new is zero, and is taken page by page as it is written.
  bytes_.reset(static_cast<char*>(std::calloc(std::max<std::uint64_t>(size, 1), 1)));
  if (!bytes_) return;
  const auto ranges = image == nullptr ? std::vector<FileRange>{{0, size}} : mapped_ranges(*image);
  for (const auto& range : ranges)
    if (!read(file, range)) return;
  size_ = size;
}

bool MappedBytes::read(const File& file, const FileRange& range) {
  const auto end = range.offset + range.size;
  auto looked_at = range.offset;
  for (auto at = range.offset; at < end;) {
    auto* const block = bytes_.get() + at;
    const auto got = file.read(at, std::as_writable_bytes(std::span(block, std::min(mapped_block, end - at))));
    if (!got) return size_ = 0, false;
    if (*got == 0) return size_ = at, false;
    const auto found = find_fatbin({bytes_.get() + looked_at, at + *got - looked_at}, looked_at);
    at += *got;
    if (found) {
      const auto begin = looked_at + found->at;
      std::memset(bytes_.get() + begin, 0, at - begin);
      at = looked_at = begin + std::min(found->size, end - begin);
    } else {
      // A header may begin at the end of this block.
      looked_at = std::max(looked_at, at - std::min(at, fatbin_header_bytes - 1));
    }
  }
  return true;
}

}  // namespace cudald

#include "binary/constants/mapped_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include <cudald/image.h>

#include "binary/bytes/file_window.h"
#include "binary/elf/sections.h"
#include "binary/gpu/fatbin.h"
#include "os/memory.h"

namespace cudald {
namespace {

constexpr std::uint64_t mapped_block = 1 << 18;
constexpr std::uint64_t small_file = 1 << 18;       ///< that is read at once
constexpr std::uint64_t large_container = 1 << 16;  ///< of GPU code, which is worth a part of its own

bool lies_in_file(const LoadSegment& segment, const Image& image) {
  return segment.offset <= image.file_size && segment.file_size <= image.file_size - segment.offset;
}

/// Code, also of the GPU, and what loaders and unwinders read: it is not looked through for texts.
bool is_left_out(const Section& section) {
  constexpr std::array<std::string_view, 9> beginnings{
      ".eh_frame", ".gcc_except_table", ".rel", ".dynsym", ".dynstr", ".gnu.version", ".gnu.hash", ".hash", ".nv_fatb"};
  return section.executable || std::any_of(beginnings.begin(), beginnings.end(),
                                           [&](std::string_view one) { return section.name.starts_with(one); });
}

constexpr std::uint64_t alignment = 16;  ///< of any number

/// Hands over what is left of a range without some others, which are in the order of the file.
template <typename Take>
void visit_without(const FileRange& range, const std::vector<FileRange>& others, const Take& take) {
  auto at = range.offset;
  const auto end = range.offset + range.size;
  for (const auto& other : others) {
    if (other.offset > at && at < end) take(FileRange{at, std::min(other.offset, end) - at});
    at = std::max(at, other.offset + other.size);
  }
  if (at < end) take(FileRange{at, end - at});
}

void sort_by_offset(std::vector<FileRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
}

/// In the order of the file, each byte once.
std::vector<FileRange> mapped_ranges(const Image& image) {
  std::vector<FileRange> ranges;
  for (const auto& segment : image.elf.load_segments)
    if (lies_in_file(segment, image)) ranges.push_back({segment.offset, segment.file_size});
  sort_by_offset(ranges);
  if (ranges.empty()) ranges.push_back({0, image.file_size});
  return disjoint(std::move(ranges));
}

/// What is mapped and is no code, from and to places that any number in it may begin at.
std::vector<FileRange> data_ranges(const File& file, const Image& image) {
  FileWindow window(file, image.byte_order);
  std::vector<FileRange> code;
  for (const auto& section : elf_sections(window, image)) {
    const auto begin = (std::min(section.offset, image.file_size) + alignment - 1) / alignment * alignment;
    const auto end = (section.offset + std::min(section.size, ~section.offset)) / alignment * alignment;
    if (is_left_out(section) && begin < end) code.push_back({begin, end - begin});
  }
  sort_by_offset(code);
  std::vector<FileRange> ranges;
  for (const auto& range : mapped_ranges(image))
    visit_without(range, code, [&](const FileRange& rest) { ranges.push_back(rest); });
  return ranges;
}

}  // namespace

std::uint64_t mapped_size(const Image& image) {
  std::uint64_t end = 0;
  for (const auto& segment : image.elf.load_segments)
    if (lies_in_file(segment, image)) end = std::max(end, segment.offset + segment.file_size);
  return end == 0 ? image.file_size : end;
}

void MappedBytes::Unmap::operator()(char* bytes) const { release_zeros(bytes, size); }

MappedBytes::MappedBytes(const File& file, const Image* image) {
  auto& contents = *contents_;
  const std::size_t size = std::min(image == nullptr ? UINT64_MAX : mapped_size(*image), file.status().size);
  contents.whole = size == 0;
  if (contents.whole) return;
  contents.own = {take_zeros(size), {size}};
  contents.file = &file;
  contents.image = image;
  contents.begin = reinterpret_cast<const std::byte*>(contents.own.get());
  contents.size = size;
  contents.read.resize(size / block_size + 1);
  if (file.is_stream() || size <= small_file) read_all();
}

MappedBytes::MappedBytes(std::string_view bytes) {
  contents_->begin = reinterpret_cast<const std::byte*>(bytes.data());
  contents_->size = bytes.size();
  contents_->whole = true;
}

std::optional<std::string_view> MappedBytes::string(std::uint64_t offset) const {
  for (auto at = offset; at < size();) {
    const auto end = std::min(size(), (at / block_size + 1) * block_size);
    need(at, end - at);
    const auto found = text(at, end - at).find('\0');
    if (found != std::string_view::npos) return text(offset, at - offset + found);
    at = end;
  }
  return std::nullopt;
}

std::span<const std::byte> MappedBytes::bytes(std::uint64_t offset, std::uint64_t length) const {
  if (!holds(offset, length)) return {};
  need(offset, length);
  return {contents_->begin + offset, length};
}

std::string_view MappedBytes::view() const {
  if (!contents_->whole) read_all();
  return text(0, size());
}

std::vector<FileRange> MappedBytes::ranges_of_data() const {
  if (contents_->image != nullptr && contents_->image->is_elf())
    return data_ranges(*contents_->file, *contents_->image);
  return {{0, size()}};
}

bool MappedBytes::visit_data(std::uint64_t most, const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t overlap = 64;
  if (contents_->whole) {
    const auto parts = data();
    for (const auto part : parts.value_or(std::vector<std::string_view>())) take(part);
    return parts.has_value();
  }
  bool all = true;
  for_blocks(*contents_->file, ranges_of_data(), size(), UINT64_MAX, overlap, [&](const FileBlock& block) {
    all = !block.bytes.empty() && block.bytes.size() <= most;
    if (!all) return true;
    most -= block.bytes.size();
    take(block.bytes);
    return false;
  });
  return all;
}

std::optional<std::vector<std::string_view>> MappedBytes::data(std::uint64_t most) const {
  std::vector<std::string_view> parts;
  for (const auto& range : ranges_of_data()) {
    if (!holds(range.offset, range.size) || (!contents_->whole && !read_range(range, most))) return std::nullopt;
    sort_by_offset(contents_->gpu_code);
    visit_without(range, contents_->gpu_code,
                  [&](const FileRange& rest) { parts.push_back(text(rest.offset, rest.size)); });
  }
  return parts;
}

/// Of a file that was cut short meanwhile, zeros stand for the rest.
void MappedBytes::read_block(std::uint64_t block) const {
  const auto at = block * block_size;
  const std::span into(contents_->own.get() + at, std::min(block_size, size() - at));
  (void)contents_->file->read(at, std::as_writable_bytes(into));
  contents_->read[block] = true;
}

void MappedBytes::read_all() const {
  const auto* image = contents_->image;
  const auto ranges = image == nullptr ? std::vector<FileRange>{{0, size()}} : mapped_ranges(*image);
  contents_->whole = true;
  auto most = size();
  for (const auto& range : ranges)
    if (!read_range({range.offset, std::min(range.size, size() - std::min(size(), range.offset))}, most)) return;
}

/// False if it could not be read, when there is nothing, or is more than `most` bytes without GPU code, which are
/// counted down.
bool MappedBytes::read_range(const FileRange& range, std::uint64_t& most) const {
  const auto end = range.offset + range.size;
  auto* const bytes = contents_->own.get();
  auto looked_at = range.offset;
  for (auto at = range.offset; at < end;) {
    const auto got =
        contents_->file->read(at, std::as_writable_bytes(std::span(bytes + at, std::min(mapped_block, end - at))));
    if (!got) return contents_->size = 0, false;
    if (*got == 0) return contents_->size = at, false;
    const auto found = find_fatbin({bytes + looked_at, at + *got - looked_at}, looked_at);
    const auto kept = found ? looked_at + found->at - std::min(at, looked_at + found->at) : *got;
    if (kept > most) return false;
    most -= kept;
    at += *got;
    if (found) {
      const auto begin = looked_at + found->at;
      std::memset(bytes + begin, 0, at - begin);
      at = looked_at = begin + std::min(found->size, end - begin);
      // Up to a place at which any number behind it may begin.
      if (found->size >= large_container) contents_->gpu_code.push_back({begin, at / alignment * alignment - begin});
    } else {
      // A header may begin at the end of this block.
      looked_at = std::max(looked_at, at - std::min(at, fatbin_header_bytes - 1));
    }
  }
  return true;
}

}  // namespace cudald

#include "image/read_only_data.h"

#include <algorithm>
#include <vector>

#include "base/byte_reader.h"
#include "image/file_window.h"
#include "image/sections.h"

namespace cudald {
namespace {

constexpr std::size_t block_size = 1 << 20;

struct Range {
  std::uint64_t offset, size;
};

std::vector<Range> read_only_ranges(const Image& image, std::string_view pe_section) {
  std::vector<Range> ranges;
  for (const auto& segment : image.load_segments)
    if (!segment.writable) ranges.push_back({segment.offset, segment.file_size});
  // Small files may have one segment for all.
  if (ranges.empty())
    for (const auto& segment : image.load_segments) ranges.push_back({segment.offset, segment.file_size});
  if (image.pe)
    for (const auto& section : image.pe->sections)
      if (section.name == pe_section) ranges.push_back({section.offset, section.file_size});
  return ranges;
}

constexpr std::size_t longest_text = 128;

/// In a block of bytes.
std::optional<std::string> text_in(std::string_view all, std::string_view beginning, bool any) {
  for (auto at = all.find(beginning); at != std::string_view::npos; at = all.find(beginning, at + 1)) {
    const auto rest = all.substr(at + beginning.size(), longest_text);
    if (any || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9'))
      return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
  }
  return std::nullopt;
}

/// test rdi, rdi; je; mov [rdi], number; xor eax, eax; ret, and the same with rcx, as Windows passes arguments.
std::optional<std::uint32_t> number_answered(std::string_view code) {
  constexpr std::size_t length = 14;
  if (code.size() < length || code[0] != '\x48' || code[1] != '\x85' || code[3] != '\x74' || code[5] != '\xc7') return std::nullopt;
  const bool by_rdi = code[2] == '\xff' && code[6] == '\x07', by_rcx = code[2] == '\xc9' && code[6] == '\x01';
  const auto end = code.substr(11, 3);
  if ((!by_rdi && !by_rcx) || (end != "\x31\xc0\xc3" && end != "\x33\xc0\xc3")) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(code.data());
  return ByteReader({bytes, length}, ByteOrder::little).number<std::uint32_t>(7);
}

/// Hands over the bytes of these ranges in blocks that overlap, each with its place in the file, until `take` returns true.
template <typename Take>
void for_blocks(const File& file, const std::vector<Range>& ranges, std::uint64_t file_size, std::uint64_t most, std::size_t overlap,
                Take take) {
  std::vector<std::byte> block;
  for (const auto& range : ranges) {
    const auto start = std::min(range.offset, file_size);
    const auto end = start + std::min({range.size, file_size - start, most});
    for (auto at = start; at < end; at += block_size) {
      block.resize(std::min<std::uint64_t>(block_size + overlap, end - at));
      const auto got = file.read(at, block);
      block.resize(got ? *got : 0);
      if (take(std::string_view(reinterpret_cast<const char*>(block.data()), block.size()), at)) return;
    }
    most -= end - start;
  }
}

}  // namespace

std::optional<std::string> read_only_text(const File& file, const Image& image, std::string_view beginning, std::uint64_t most,
                                          bool any) {
  std::optional<std::string> text;
  for_blocks(file, read_only_ranges(image, ".rdata"), image.file_size, most, beginning.size() + longest_text,
             [&](std::string_view block, std::uint64_t) { return (text = text_in(block, beginning, any)).has_value(); });
  return text;
}

std::optional<std::uint64_t> find_constant_text(const File& file, const Image& image, std::string_view text) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  FileWindow window(file, image.byte_order);
  std::vector<Range> ranges;
  for (const auto& section : image.is_pe() ? pe_sections(window) : elf_sections(window, image))
    if (section.name == ".rodata" || section.name.starts_with(".rodata.") || section.name == ".lrodata" || section.name == ".rdata")
      ranges.push_back({section.offset, section.size});
  const auto wanted = '\0' + std::string(text) + '\0';
  std::optional<std::uint64_t> found;
  for_blocks(file, ranges, image.file_size, most, wanted.size(), [&](std::string_view block, std::uint64_t offset) {
    if (const auto at = block.find(wanted); at != std::string_view::npos) found = offset + at + 1;
    return found.has_value();
  });
  return found;
}

std::vector<std::uint32_t> numbers_answered(const File& file, const Image& image, std::uint64_t most) {
  std::vector<std::uint32_t> numbers;
  constexpr std::size_t most_numbers = 4096, overlap = 16;
  for_blocks(file, read_only_ranges(image, ".text"), image.file_size, most, overlap, [&](std::string_view block, std::uint64_t) {
    for (auto at = block.find("\x48\x85"); at != std::string_view::npos; at = block.find("\x48\x85", at + 1))
      if (const auto number = number_answered(block.substr(at))) numbers.push_back(*number);
    return numbers.size() > most_numbers;
  });
  return numbers;
}

}  // namespace cudald

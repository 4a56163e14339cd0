#include "binary/constants/read_only_data.h"

#include <algorithm>
#include <vector>

#include <cudald/image.h>

#include "base/byte_reader.h"
#include "base/find_bytes.h"
#include "binary/bytes/file_window.h"
#include "binary/elf/sections.h"

namespace cudald {

std::vector<FileRange> disjoint(std::vector<FileRange> ranges) {
  const auto by_offset = [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; };
  const auto end_of = [](const FileRange& range) { return range.offset + std::min(range.size, ~range.offset); };
  auto sorted = ranges;
  std::stable_sort(sorted.begin(), sorted.end(), by_offset);
  std::vector<FileRange> merged;
  for (const auto& range : sorted)
    if (!merged.empty() && range.offset < end_of(merged.back()))
      merged.back().size = std::max(end_of(merged.back()), end_of(range)) - merged.back().offset;
    else
      merged.push_back(range);
  // Where nothing is shared, in the file's own order.
  return merged.size() == ranges.size() ? ranges : merged;
}

namespace {

std::vector<FileRange> read_only_ranges(const Image& image, std::string_view pe_section) {
  std::vector<FileRange> ranges;
  for (const auto& segment : image.elf.load_segments)
    if (!segment.writable) ranges.push_back({segment.offset, segment.file_size});
  // Small files may have one segment for all.
  if (ranges.empty())
    for (const auto& segment : image.elf.load_segments) ranges.push_back({segment.offset, segment.file_size});
  if (image.pe)
    for (const auto& section : image.pe->sections)
      if (section.name == pe_section) ranges.push_back({section.offset, section.file_size});
  return disjoint(std::move(ranges));
}

constexpr std::size_t longest_text = 128;

/// In a block of bytes.
std::optional<std::string> text_in(std::string_view all, std::string_view beginning, bool any) {
  for (auto at = find_bytes(all, beginning); at != std::string_view::npos; at = find_bytes(all, beginning, at + 1)) {
    const auto rest = all.substr(at + beginning.size(), longest_text);
    if (any || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9'))
      return std::string(rest.substr(0, std::min(rest.find('\0'), rest.size())));
  }
  return std::nullopt;
}

constexpr std::size_t answering_function = 14;  // bytes

/// test rdi, rdi; je; mov [rdi], number; xor eax, eax; ret, and the same with rcx, as Windows passes arguments.
std::optional<std::uint32_t> number_answered(std::string_view code) {
  if (code.size() < answering_function || code[0] != '\x48' || code[1] != '\x85' || code[3] != '\x74' ||
      code[5] != '\xc7')
    return std::nullopt;
  const bool by_rdi = code[2] == '\xff' && code[6] == '\x07', by_rcx = code[2] == '\xc9' && code[6] == '\x01';
  const auto end = code.substr(11, 3);
  if ((!by_rdi && !by_rcx) || (end != "\x31\xc0\xc3" && end != "\x33\xc0\xc3")) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::byte*>(code.data());
  return ByteReader({bytes, answering_function}, ByteOrder::little).number<std::uint32_t>(7);
}

/// Sections that hold constants.
std::vector<FileRange> constant_ranges(const File& file, const Image& image) {
  FileWindow window(file, image.byte_order);
  std::vector<FileRange> ranges;
  for (const auto& section : image.is_pe() ? pe_sections(window) : elf_sections(window, image))
    if (section.name == ".rodata" || section.name.starts_with(".rodata.") || section.name == ".lrodata" ||
        section.name == ".rdata")
      ranges.push_back({section.offset, section.size});
  return disjoint(std::move(ranges));
}

constexpr std::size_t longest_constant = 255;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// A text in a block: where it begins, and where the zero behind it lies.
struct Place {
  std::size_t beginning = 0, end = 0;
};

/// The place of the text around the dot, whose characters have `step` bytes; `end` alone where it does not stand alone.
std::pair<std::optional<Place>, std::size_t> text_around(const FileBlock& block, std::size_t dot, std::size_t step) {
  const auto& bytes = block.bytes;
  const auto is_zero = [&](std::size_t at) { return bytes[at] == '\0' && (step == 1 || bytes[at + 1] == '\0'); };
  auto end = dot;
  const auto last = std::min(bytes.size(), dot + (longest_constant + 1) * step);
  while (end + step <= last && !is_zero(end)) end += step;
  if (end + step > last) return {std::nullopt, end};
  auto at = dot;
  while (at >= step && !is_zero(at - step) && end - at <= longest_constant * step) at -= step;
  // Of the first text of a later block, the block before has seen the zero.
  const bool alone = at >= step ? is_zero(at - step) : at == 0 && block.first;
  if (!alone || end - at > longest_constant * step) return {std::nullopt, end};
  return {Place{at, end}, end};
}

/// Its characters; nullopt if one takes more than a byte.
std::optional<std::string> narrowed(std::string_view bytes, const Place& place, std::size_t step) {
  std::string text;
  for (auto at = place.beginning; at < place.end; at += step) {
    if (step == 2 && bytes[at + 1] != '\0') return std::nullopt;
    text += bytes[at];
  }
  return text;
}

/// How wide the characters are in which `part` stands at the dot with which it begins; 0 if it does not.
std::size_t width_at(std::string_view bytes, std::size_t dot, std::string_view part) {
  for (const std::size_t step : {1U, 2U}) {
    if (bytes.size() < dot + part.size() * step) continue;
    bool same = true;
    for (std::size_t i = 1; i < part.size() && same; ++i)
      same = lower(bytes[dot + i * step]) == part[i] && (step == 1 || bytes[dot + i * step - 1] == '\0');
    if (same) return step;
  }
  return 0;
}

}  // namespace

std::string read_constants(const File& file, const Image& image, std::uint64_t most) {
  std::string all;
  for (const auto& range : constant_ranges(file, image)) {
    const auto begin = all.size();
    const auto start = std::min(range.offset, image.file_size);
    all.resize(begin + std::min({range.size, image.file_size - start, most - begin}));
    const auto got = file.read(start, std::as_writable_bytes(std::span(all).subspan(begin)));
    all.resize(begin + (got ? *got : 0));
  }
  return all;
}

std::optional<std::string> read_only_text(const File& file, const Image& image, std::string_view beginning,
                                          std::uint64_t most, bool any) {
  std::optional<std::string> text;
  // Code may lie before the constants, and be more than is read: where sections are told, theirs come first.
  for (const auto& ranges : {constant_ranges(file, image), read_only_ranges(image, ".rdata")})
    if (!text)
      for_blocks(file, ranges, image.file_size, most, beginning.size() + longest_text,
                 [&](const FileBlock& block) { return (text = text_in(block.bytes, beginning, any)).has_value(); });
  return text;
}

std::optional<std::uint64_t> find_constant_text(const File& file, const Image& image, std::string_view text) {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const auto wanted = '\0' + std::string(text) + '\0';
  std::optional<std::uint64_t> found;
  for_blocks(file, constant_ranges(file, image), image.file_size, most, wanted.size(), [&](const FileBlock& block) {
    if (const auto at = find_bytes(block.bytes, wanted); at != std::string_view::npos) found = block.offset + at + 1;
    return found.has_value();
  });
  return found;
}

std::optional<std::uint64_t> find_constant_part(const File& file, const Image& image, std::string_view part,
                                                std::uint64_t most) {
  std::optional<std::uint64_t> found;
  for_blocks(file, constant_ranges(file, image), image.file_size, most, part.size(), [&](const FileBlock& block) {
    if (const auto at = find_bytes(block.bytes, part); at != std::string_view::npos) found = block.offset + at;
    return found.has_value();
  });
  return found;
}

bool visit_constant_texts(const File& file, const Image& image, std::string_view part, std::uint64_t most,
                          const std::function<bool(std::string_view, std::uint64_t)>& take) {
  const auto ranges = constant_ranges(file, image);
  std::uint64_t size = 0;
  for (const auto& range : ranges) size += std::min(range.size, image.file_size);
  bool all = size <= most;
  // Each dot is looked at by itself. In what compilers write, few bytes in a hundred are one.
  constexpr std::uint64_t most_dots = 1 << 24;
  std::uint64_t dots = 0;
  for_blocks(file, ranges, image.file_size, most, 2 * (longest_constant + 2), [&](const FileBlock& block) {
    const auto& bytes = block.bytes;
    for (auto dot = bytes.find(part[0]); dot != std::string_view::npos; dot = bytes.find(part[0], dot + 1)) {
      if (++dots > most_dots) return !(all = false);
      const char next = dot + 1 < bytes.size() ? bytes[dot + 1] : '\0';
      if (next != '\0' && lower(next) != part[1]) continue;
      const auto step = width_at(bytes, dot, part);
      if (step == 0) continue;
      const auto [place, end] = text_around(block, dot, step);
      const auto text = place ? narrowed(bytes, *place, step) : std::nullopt;
      if (text && !take(*text, block.offset + place->beginning)) return !(all = false);
      dot = std::max(dot, end - 1);  // one text is looked at once, however many dots it has
    }
    return false;
  });
  return all;
}

std::vector<std::uint32_t> numbers_answered(const File& file, const Image& image, std::uint64_t most) {
  std::vector<std::uint32_t> numbers;
  constexpr std::size_t most_numbers = 4096, overlap = 16;
  for_blocks(file, read_only_ranges(image, ".text"), image.file_size, most, overlap, [&](const FileBlock& block) {
    // By its end, which is rarer than its beginning: `return` behind a register that was made zero.
    constexpr std::string_view end("\xc0\xc3");
    constexpr auto before = answering_function - end.size();
    for (auto at = find_bytes(block.bytes, end, before); at != std::string_view::npos;
         at = find_bytes(block.bytes, end, at + 1))
      if (const auto number = number_answered(block.bytes.substr(at - before))) numbers.push_back(*number);
    return numbers.size() > most_numbers;
  });
  return numbers;
}

}  // namespace cudald

#include "binary/gpu/fatbin.h"

#include <algorithm>
#include <span>

#include "base/byte_reader.h"
#include "binary/bytes/readers.h"
#include "cache/cached_file.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cudald {
namespace {

constexpr std::uint32_t container_magic = 0xba55ed50;
constexpr std::uint64_t container_header = fatbin_header_bytes, entry_header = 48;
constexpr std::uint16_t kind_ptx = 1, kind_sass = 2;
constexpr std::uint64_t flag_a = std::uint64_t{1} << 20, flag_f = std::uint64_t{1} << 21;

// libcublasLt.so.12, the richest library known, has 6,000 entries.
constexpr std::size_t most_fatbin_entries = 250'000;
constexpr std::uint64_t most_padding = 64 * 1024;
// Besides what reading it costs; so a container without entries is not free, however often sections lead to it.
constexpr std::uint64_t steps_of_a_header = 64;

std::nullopt_t stop(GpuCode& code, const char* message, std::uint64_t offset, bool limit = false) {
  code.defects.push_back({message, offset, limit});
  return std::nullopt;
}

bool count(const ByteReader& entry, GpuCode& code) {
  const auto kind = entry.unchecked<std::uint16_t>(0);
  if (kind != kind_ptx && kind != kind_sass) return true;
  const auto flags = entry.unchecked<std::uint64_t>(40);
  const GpuArchitecture architecture{entry.unchecked<std::uint32_t>(28), (flags & flag_a) != 0   ? 'a'
                                                                         : (flags & flag_f) != 0 ? 'f'
                                                                                                 : '\0'};
  if (architecture.number < 10 || architecture.number > 999) return false;
  ++(kind == kind_ptx ? code.ptx : code.sass)[architecture];
  return true;
}

void add(const GpuCode& part, GpuCode& whole) {
  for (const auto& [architecture, count] : part.sass) whole.sass[architecture] += count;
  for (const auto& [architecture, count] : part.ptx) whole.ptx[architecture] += count;
  whole.entries += part.entries;
}

/// The first byte from `offset` that is not zero; `end` if there is none.
std::uint64_t after_zeros(FileWindow& window, std::uint64_t offset, std::uint64_t end) {
  constexpr std::uint64_t block = 4096;
  while (offset < end) {
    const auto bytes = window.bytes(offset, std::min(block, end - offset));
    if (bytes.empty()) return end;
    const auto other = std::find_if(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != std::byte{0}; });
    offset += static_cast<std::uint64_t>(other - bytes.begin());
    if (other != bytes.end()) return offset;
  }
  return end;
}

/// From here on, to the next 64 bytes that may hold the magic number at a multiple of four, or to their last ones.
std::uint64_t skip_without_magic(std::string_view block, std::uint64_t at) {
#ifdef __SSE2__
  constexpr std::size_t width = sizeof(__m128i), at_once = 4 * width;
  const auto magic = _mm_set1_epi32(static_cast<int>(container_magic));
  const auto is_magic = [&](std::uint64_t place) {
    return _mm_cmpeq_epi32(magic, _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.data() + place)));
  };
  for (; at + at_once <= block.size(); at += at_once) {
    const auto first = _mm_or_si128(is_magic(at), is_magic(at + width));
    const auto second = _mm_or_si128(is_magic(at + 2 * width), is_magic(at + 3 * width));
    if (_mm_movemask_epi8(_mm_or_si128(first, second)) != 0) break;
  }
#endif
  return at;
}

}  // namespace

std::optional<std::uint64_t> read_fatbin(FileWindow& window, std::uint64_t offset, std::uint64_t end, GpuCode& code) {
  const auto header = window.bytes(offset, container_header);
  const ByteReader container(header, ByteOrder::little);
  if (!window.budget()->step(steps_of_a_header)) return std::nullopt;
  if (header.size() != container_header || container.unchecked<std::uint32_t>(0) != container_magic)
    return stop(code, "no fatbin found where one should begin", offset);
  const auto header_size = container.unchecked<std::uint16_t>(6);
  const auto size = container.unchecked<std::uint64_t>(8);
  if (header_size < container_header || header_size > end - offset || size > end - offset - header_size)
    return stop(code, "a fatbin runs past its section or the file", offset);

  const auto container_end = offset + header_size + size;
  for (auto at = offset + header_size; at < container_end;) {
    if (++code.entries > most_fatbin_entries) return stop(code, "more entries of fatbins than are read", at, true);
    const auto bytes = window.bytes(at, std::min(entry_header, container_end - at));
    if (!window.budget()->step(steps_of_a_header)) return std::nullopt;
    if (bytes.size() != entry_header) return stop(code, "an entry of a fatbin is cut short", at);
    const ByteReader entry(bytes, ByteOrder::little);
    const auto own_size = entry.unchecked<std::uint32_t>(4);
    const auto code_size = entry.unchecked<std::uint64_t>(8);
    const auto room = container_end - at;
    if (own_size < entry_header || own_size > room || code_size > room - own_size)
      return stop(code, "an entry of a fatbin runs past its end", at);
    if (!count(entry, code)) return stop(code, "an entry of a fatbin is for no known kind of architecture", at);
    at += own_size + code_size;
  }
  return container_end;
}

std::optional<FatbinPlace> find_fatbin(std::string_view block, std::uint64_t offset) {
  constexpr std::uint64_t alignment = 8;
  const ByteReader bytes(std::as_bytes(std::span(block)), ByteOrder::little);
  for (auto at = (alignment - offset % alignment) % alignment;; at += alignment) {
    at = skip_without_magic(block, at);
    if (at + container_header > block.size()) break;
    if (bytes.unchecked<std::uint32_t>(at) != container_magic) continue;
    const auto own = bytes.unchecked<std::uint16_t>(at + 6);
    const auto size = bytes.unchecked<std::uint64_t>(at + 8);
    if (own >= container_header && size <= UINT64_MAX - own) return FatbinPlace{at, own + size};
  }
  return std::nullopt;
}

MetFatbins meet_fatbins(const File& file) {
  Budget budget(limits_of_one_file);
  return meet_fatbins(file, budget);
}

MetFatbins meet_fatbins(const File& file, Budget& budget) {
  constexpr std::uint64_t block_size = std::uint64_t{1} << 20, alignment = 8;
  MetFatbins met;
  const auto* kept = file.kept();
  if (!file.is_stream() || (kept != nullptr && kept->has_passed())) return met;
  // The stream itself is read once, and how long it may be is the archive's limit.
  FileWindow stream(kept != nullptr ? kept->passing() : file, ByteOrder::little);
  FileWindow window(file, ByteOrder::little, &budget);
  std::size_t entries = 0;
  for (std::uint64_t at = 0, previous_end = 0; at < window.file_size() && entries < most_fatbin_entries;) {
    const auto block = stream.bytes(at, block_size);
    if (block.empty()) return met;
    const ByteReader bytes(block, ByteOrder::little);
    auto next = at + block.size() + (alignment - block.size() % alignment) % alignment;
    bool zeros = at == previous_end;
    for (std::uint64_t i = 0; bytes.holds(i, alignment); i += alignment) {
      const auto word = bytes.unchecked<std::uint64_t>(i);
      if ((word & 0xffffffff) != container_magic) {
        zeros &= word == 0;
        continue;
      }
      MetFatbin fatbin;
      const auto begin = zeros ? previous_end : at + i;
      // Once it has passed, the containers are found by what is kept: what lies around them is read as then.
      if (kept != nullptr) (void)after_zeros(window, begin, window.file_size());
      const auto end = read_fatbin(window, at + i, window.file_size(), fatbin.code);
      entries += fatbin.code.entries + 1;
      if (!end || *end % alignment != 0) continue;
      if (kept != nullptr) (void)after_zeros(window, *end, std::min(window.file_size(), *end + most_padding));
      fatbin.end = *end;
      met.emplace(begin, std::move(fatbin));
      next = previous_end = *end;
      break;
    }
    at = next;
  }
  if (kept != nullptr && entries < most_fatbin_entries && !budget.exhausted()) kept->note_passed();
  return met;
}

void read_fatbins(FileWindow& window, std::uint64_t offset, std::uint64_t size, const MetFatbins& met, GpuCode& code) {
  if (offset > window.file_size() || size > window.file_size() - offset) {
    stop(code, "a section of fatbins runs past the end of the file", offset);
    return;
  }
  const auto end = offset + size;
  while (offset < end) {
    const auto known = met.find(offset);
    if (known != met.end() && known->second.end <= end) {
      add(known->second.code, code);
      offset = known->second.end;
      continue;
    }
    const auto next = after_zeros(window, offset, std::min(end, offset + std::min(most_padding, end - offset)));
    if (next == end || window.budget()->exhausted()) return;
    const auto after = read_fatbin(window, next, end, code);
    if (!after) return;
    offset = *after;
  }
}

}  // namespace cudald

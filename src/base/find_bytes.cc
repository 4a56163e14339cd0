#include "base/find_bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "os/memory.h"

namespace cudald {
namespace {

std::optional<std::size_t> part_at(std::string_view bytes, std::span<const std::string_view> parts, std::size_t at) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (bytes.substr(at).starts_with(parts[i])) return i;
  return std::nullopt;
}

#ifdef __SSE2__
constexpr std::size_t width = 16;

__m128i block_at(std::string_view bytes, std::size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
}

/// In which of sixteen places the first byte of a part stands, and its last one so much further on.
__m128i ends_fit(std::string_view bytes, std::size_t at, __m128i first, __m128i last, std::size_t size) {
  return _mm_and_si128(_mm_cmpeq_epi8(block_at(bytes, at), first),
                       _mm_cmpeq_epi8(block_at(bytes, at + size - 1), last));
}
#endif

}  // namespace

bool has_line(std::string_view text, std::string_view line) {
  for (auto at = find_bytes(text, line); at != std::string_view::npos; at = find_bytes(text, line, at + 1)) {
    const auto end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return true;
  }
  return false;
}

std::size_t find_bytes(std::string_view bytes, std::string_view part, std::size_t begin) {
  if (begin > bytes.size()) return std::string_view::npos;
  auto at = begin;
#ifdef __SSE2__
  constexpr std::size_t patience = 4096;
  if (part.size() > 1) {
    const auto first = _mm_set1_epi8(part.front()), last = _mm_set1_epi8(part.back());
    std::size_t compared = 0;
    const auto found_in_block = [&](std::size_t block) {
      const auto both = ends_fit(bytes, block, first, last, part.size());
      for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(both)); mask != 0; mask &= mask - 1) {
        const auto candidate = block + static_cast<std::size_t>(std::countr_zero(mask));
        if (std::memcmp(bytes.data() + candidate, part.data(), part.size()) == 0) return candidate;
        compared += part.size();
      }
      return std::string_view::npos;
    };
    // Where many places look alike, memmem is faster, as it never looks at a byte twice.
    const auto fits = [&](std::size_t blocks) {
      return at + part.size() - 1 + blocks * width <= bytes.size() && compared <= patience + (at - begin);
    };
    // Most places do not look alike at all: of four blocks that is asked at once.
    constexpr std::size_t at_once = 4;
    for (; fits(at_once); at += at_once * width) {
      auto any = _mm_setzero_si128();
      for (std::size_t i = 0; i < at_once; ++i)
        any = _mm_or_si128(any, ends_fit(bytes, at + i * width, first, last, part.size()));
      if (_mm_movemask_epi8(any) == 0) continue;
      for (std::size_t i = 0; i < at_once; ++i)
        if (const auto found = found_in_block(at + i * width); found != std::string_view::npos) return found;
    }
    for (; fits(1); at += width)
      if (const auto found = found_in_block(at); found != std::string_view::npos) return found;
  }
#endif
  const auto found = find_in_memory(bytes.substr(at), part);
  return found == std::string_view::npos ? found : at + found;
}

std::optional<FoundPart> find_any_bytes(std::string_view bytes, std::span<const std::string_view> parts,
                                        std::size_t begin) {
  auto at = begin;
#ifdef __SSE2__
  constexpr std::size_t most_parts = 16;
  std::size_t longest = 1;
  __m128i first[most_parts], last[most_parts];
  for (std::size_t i = 0; i < std::min(parts.size(), most_parts); ++i) {
    first[i] = _mm_set1_epi8(parts[i].front()), last[i] = _mm_set1_epi8(parts[i].back());
    longest = std::max(longest, parts[i].size());
  }
  for (; parts.size() <= most_parts && at + longest - 1 + width <= bytes.size(); at += width) {
    auto any = _mm_setzero_si128();
    for (std::size_t i = 0; i < parts.size(); ++i)
      any = _mm_or_si128(any, ends_fit(bytes, at, first[i], last[i], parts[i].size()));
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(any)); mask != 0; mask &= mask - 1) {
      const auto place = at + static_cast<std::size_t>(std::countr_zero(mask));
      if (const auto part = part_at(bytes, parts, place)) return FoundPart{place, *part};
    }
  }
#endif
  for (; at < bytes.size(); ++at)
    if (const auto part = part_at(bytes, parts, at)) return FoundPart{at, *part};
  return std::nullopt;
}

}  // namespace cudald

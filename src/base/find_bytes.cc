#include "base/find_bytes.h"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cudald {
namespace {

std::size_t found_at(const void* place, std::string_view bytes) {
  return place == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(place) - bytes.data());
}

}  // namespace

std::size_t find_bytes(std::string_view bytes, std::string_view part, std::size_t begin) {
  if (begin > bytes.size()) return std::string_view::npos;
  auto at = begin;
#ifdef __SSE2__
  // Sixteen places at once: where the first byte of the part stands, and its last one so much further on.
  constexpr std::size_t width = 16, patience = 4096;
  if (part.size() > 1) {
    const auto first = _mm_set1_epi8(part.front()), last = _mm_set1_epi8(part.back());
    const auto block = [&](std::size_t offset) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + offset));
    };
    std::size_t compared = 0;
    // Where many places look alike, memmem is faster, as it never looks at a byte twice.
    for (; at + part.size() - 1 + width <= bytes.size() && compared <= patience + (at - begin); at += width) {
      const auto both =
          _mm_and_si128(_mm_cmpeq_epi8(block(at), first), _mm_cmpeq_epi8(block(at + part.size() - 1), last));
      for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(both)); mask != 0; mask &= mask - 1) {
        const auto candidate = at + static_cast<std::size_t>(std::countr_zero(mask));
        if (std::memcmp(bytes.data() + candidate, part.data(), part.size()) == 0) return candidate;
        compared += part.size();
      }
    }
  }
#endif
  return found_at(::memmem(bytes.data() + at, bytes.size() - at, part.data(), part.size()), bytes);
}

}  // namespace cudald

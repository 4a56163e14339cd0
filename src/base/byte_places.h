#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cudald {

/// Hands over each place at which one of two bytes stands, in their order; for bytes so frequent that a call of memchr
/// for each would cost more than the search.
template <typename Take>
void for_each_place_of(std::string_view bytes, char one, char other, const Take& take) {
  std::size_t at = 0;
#ifdef __SSE2__
  constexpr std::size_t width = sizeof(__m128i);
  const auto ones = _mm_set1_epi8(one), others = _mm_set1_epi8(other);
  for (; at + width <= bytes.size(); at += width) {
    const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const auto found = _mm_or_si128(_mm_cmpeq_epi8(block, ones), _mm_cmpeq_epi8(block, others));
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(found)); mask != 0; mask &= mask - 1)
      take(at + static_cast<std::size_t>(std::countr_zero(mask)));
  }
#endif
  for (; at < bytes.size(); ++at)
    if (bytes[at] == one || bytes[at] == other) take(at);
}

/// Hands over each place at which `first` stands with one of two bytes behind it, in their order. The byte behind the
/// last one has to be there.
template <typename Take>
void for_each_pair_of(std::string_view bytes, char first, char one, char other, const Take& take) {
  std::size_t at = 0;
#ifdef __SSE2__
  constexpr std::size_t width = sizeof(__m128i);
  const auto firsts = _mm_set1_epi8(first), ones = _mm_set1_epi8(one), others = _mm_set1_epi8(other);
  for (; at + width <= bytes.size(); at += width) {
    const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const auto behind = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at + 1));
    const auto second = _mm_or_si128(_mm_cmpeq_epi8(behind, ones), _mm_cmpeq_epi8(behind, others));
    const auto found = _mm_and_si128(_mm_cmpeq_epi8(block, firsts), second);
    for (auto mask = static_cast<unsigned>(_mm_movemask_epi8(found)); mask != 0; mask &= mask - 1)
      take(at + static_cast<std::size_t>(std::countr_zero(mask)));
  }
#endif
  for (; at < bytes.size(); ++at)
    if (bytes[at] == first && (bytes.data()[at + 1] == one || bytes.data()[at + 1] == other)) take(at);
}

}  // namespace cudald

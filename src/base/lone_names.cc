#include "base/lone_names.h"

#include <bit>
#include <cstdint>

#include "base/ascii.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cudald {
namespace {

constexpr std::size_t block_size = 64;

/// A bit for each byte of a block, the first one's lowest.
struct BlockMasks {
  std::uint64_t zeros = 0, of_names = 0;
};

BlockMasks masks_of_bytes(std::string_view block) {
  BlockMasks masks;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const char c = block[i];
    masks.zeros |= std::uint64_t{c == '\0'} << i;
    masks.of_names |= std::uint64_t{is_letter(c) || is_digit(c) || c == '_' || c == '.'} << i;
  }
  return masks;
}

#ifdef __SSE2__
__m128i is_at_most(__m128i bytes, char most) { return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most)), bytes); }

BlockMasks masks_of(std::string_view block) {
  if (block.size() < block_size) return masks_of_bytes(block);
  constexpr char case_bit = 0x20;
  BlockMasks masks;
  for (std::size_t i = 0; i < block_size; i += sizeof(__m128i)) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.data() + i));
    const auto lower = _mm_or_si128(bytes, _mm_set1_epi8(case_bit));
    const auto letters = is_at_most(_mm_sub_epi8(lower, _mm_set1_epi8('a')), 'z' - 'a');
    const auto digits = is_at_most(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), '9' - '0');
    const auto others =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    const auto of_names = _mm_or_si128(_mm_or_si128(letters, digits), others);
    const auto zeros = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
    masks.of_names |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(of_names))} << i;
    masks.zeros |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(zeros))} << i;
  }
  return masks;
}
#else
BlockMasks masks_of(std::string_view block) { return masks_of_bytes(block); }
#endif

}  // namespace

bool reads_as_module(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    const bool starts = is_letter(c) || c == '_';
    if (start ? !starts : c != '.' && !starts && !is_digit(c)) return false;
    start = c == '.';
  }
  return !start;
}

void for_each_lone_name(std::string_view bytes, std::size_t longest,
                        const std::function<void(std::string_view)>& visit) {
  std::uint64_t zero_before = 1, name_before = 0;
  for (std::size_t at = 0; at < bytes.size(); at += block_size) {
    const auto masks = masks_of(bytes.substr(at, block_size));
    const auto starts = masks.of_names & (masks.zeros << 1 | zero_before);
    // A start, added to the bytes of the name, leaves them and comes out behind them.
    const auto sum = masks.of_names + starts;
    const auto carried = sum + name_before;
    auto ends = carried & ~masks.of_names & masks.zeros;
    name_before = std::uint64_t{sum < starts} | std::uint64_t{carried < sum};
    zero_before = masks.zeros >> (block_size - 1);
    for (; ends != 0; ends &= ends - 1) {
      const auto end = at + static_cast<std::size_t>(std::countr_zero(ends));
      auto begin = end;
      while (begin > 0 && bytes[begin - 1] != '\0' && end - begin <= longest) --begin;
      if (end - begin > 1 && end - begin <= longest) visit(bytes.substr(begin, end - begin));
    }
  }
}

}  // namespace cudald

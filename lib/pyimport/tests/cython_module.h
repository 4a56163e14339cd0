#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

/// Files as Cython 3.2 and later make them, as far as their strings go.
namespace cudald::test {

using Texts = std::vector<std::string>;

inline std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) all += text;
  return all;
}

inline std::string number(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// The lengths in an array, at a place that numbers of 32 bits may have.
inline std::string lengths(const Texts& texts, std::size_t before) {
  std::string bytes((4 - before % 4) % 4, '\0');
  bytes += number(~0U);
  for (const auto& text : texts) bytes += number(static_cast<std::uint32_t>(text.size()));
  return bytes + number(~0U);
}

/// In LZSS: what is repeated within reach is referred to, in each of the three ways, by how far off and long it is.
inline std::string lzss(const std::string& text) {
  std::string packed, group;
  unsigned flags = 0, count = 0;
  const auto end_group = [&] {
    packed += static_cast<char>(flags);
    packed += group;
    group.clear(), flags = count = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t best = 0, place = 0;
    for (std::size_t from = at > 16'000 ? at - 16'000 : 0; from < at; ++from) {
      std::size_t n = 0;
      while (n < 250 && at + n < text.size() && from + n < at && text[from + n] == text[at + n]) ++n;
      if (n > best) best = n, place = from;
    }
    if (best < 4) {
      flags |= 1U << count;
      group += text[at++];
    } else {
      const auto distance = at - place - best, length = best - 3;
      if (distance < 0x80) {
        group += static_cast<char>(distance), group += static_cast<char>(length);
      } else if (distance < 0x280 && length < 0x20) {
        const auto far = distance - 0x80;
        group += static_cast<char>(0x80 | (far & 0x7f)), group += static_cast<char>(((far & 0x180) >> 2) | length);
      } else {
        const auto far = distance - 0x80;
        group += static_cast<char>(0x80 | (far & 0x7f)), group += static_cast<char>(0x80 | (far >> 7));
        group += static_cast<char>(length);
      }
      at += best;
    }
    if (++count == 8) end_group();
  }
  if (count > 0) end_group();
  return packed;
}

/// As a stream of zlib that is not compressed, of up to 64 KiB; what its second byte says of the level does not matter.
inline std::string stored(const std::string& text, char level = '\x01') {
  std::uint32_t a = 1, b = 0;
  for (const char c : text) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string packed{'x', level, '\x01', static_cast<char>(size), static_cast<char>(size >> 8)};
  packed += {static_cast<char>(~size), static_cast<char>(~size >> 8)};
  packed += text;
  for (const auto part : {b >> 8, b, a >> 8, a}) packed += static_cast<char>(part);
  return packed;
}

/// As Cython sorts them: first `texts`, then `names` and those that every module has.
inline Texts table(Texts texts, Texts names) {
  std::sort(texts.begin(), texts.end());
  names.insert(names.end(), {"__main__", "__module__", "__name__", "__test__"});
  std::sort(names.begin(), names.end());
  texts.insert(texts.end(), names.begin(), names.end());
  return texts;
}

inline const std::string cython_mark("\0cython_runtime\0", 16);
inline const std::string lzss_mark("LZSS string data decompression failed\0", 38);
inline const std::string zlib_mark("Failed to import '%.20s.decompress' - cannot\0", 45);

}  // namespace cudald::test

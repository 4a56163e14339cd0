#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "base/read_buffer.h"
#include "binary/gpu/fatbin.h"

namespace cudald {

struct Image;  // cudald/image.h

/// A part of a file; it may run past the end.
struct FileRange {
  std::uint64_t offset = 0, size = 0;
};

/// The same bytes, each once: sections and segments may share them. In the order given where they share nothing, else
/// in that of the file.
std::vector<FileRange> disjoint(std::vector<FileRange>);

/// A piece of such a part.
struct FileBlock {
  std::string_view bytes;
  std::uint64_t offset = 0;  ///< in the file
  bool first = false;        ///< of its part
};

/// Hands over the bytes of these ranges in blocks that overlap, by 16 bytes at least, `most` bytes in all, until `take`
/// returns true. GPU code is passed over: neither texts of the host's code nor code of its own stand there. False if
/// some of it could not be read.
template <typename Take>
bool for_blocks(const File& file, const std::vector<FileRange>& ranges, std::uint64_t file_size, std::uint64_t most,
                std::size_t overlap, Take take) {
  constexpr std::size_t block_size = 1 << 17;  // what a cache of the processor holds
  std::uint64_t longest = 0;
  for (const auto& range : ranges) longest = std::max(longest, std::min(range.size, file_size));
  ReadBuffer block(std::min<std::uint64_t>(block_size + overlap, longest));
  bool all = true;
  for (const auto& range : ranges) {
    const auto start = std::min(range.offset, file_size);
    const auto end = start + std::min({range.size, file_size - start, most});
    for (auto at = start; at < end;) {
      const auto asked = std::min<std::uint64_t>(block_size + overlap, end - at);
      const auto got = file.read(at, block.room().first(asked));
      all = all && got && *got == asked;
      std::string_view bytes(reinterpret_cast<const char*>(block.data()), got ? *got : 0);
      const auto fatbin = find_fatbin(bytes, at);
      const bool stops = fatbin && fatbin->at < block_size;
      if (stops) bytes = bytes.substr(0, fatbin->at);
      if (take(FileBlock{bytes, at, at == start})) return all;
      at += stops ? fatbin->at + std::min(fatbin->size, end - at - fatbin->at) : block_size;
    }
    most -= end - start;
  }
  return all;
}

/// The read-only data (.rodata, .rdata) of a file as one text, up to `most` bytes of it.
std::string read_constants(const File&, const Image&, std::uint64_t most);

/// What stands behind `beginning`, up to the string's end, in the bytes that a file maps without the right to write:
/// of the first place where a digit follows, or with `any` of the first place. Reads `most` bytes, so a large file may
/// hold it further on.
std::optional<std::string> read_only_text(const File&, const Image&, std::string_view beginning, std::uint64_t most,
                                          bool any = false);

/// Where a text stands alone, between zero bytes, in the read-only data (.rodata, .rdata) of an ELF or PE file; nullopt
/// if it does not, or the file has no section table, or within the first 256 MiB of such data.
std::optional<std::uint64_t> find_constant_text(const File&, const Image&, std::string_view text);

/// Where a text stands in such data, alone or within a longer one; `most` is in bytes.
std::optional<std::uint64_t> find_constant_part(const File&, const Image&, std::string_view part, std::uint64_t most);

/// Each text of up to 255 characters that stands alone, between zero bytes, in such data and holds `part`, which begins
/// with a dot and is in lower case; capital letters count as well, and so do texts of 16-bit characters. Hands over the
/// text and its place in the file until `take` returns false. False if not all was looked at; `most` is in bytes.
bool visit_constant_texts(const File&, const Image&, std::string_view part, std::uint64_t most,
                          const std::function<bool(std::string_view, std::uint64_t)>& take);

/// The numbers that functions of the form `if (p != 0) *p = number; return 0;` write, in the x86-64 code of a file,
/// whether they are exported or not. Reads `most` bytes.
std::vector<std::uint32_t> numbers_answered(const File&, const Image&, std::uint64_t most);

}  // namespace cudald

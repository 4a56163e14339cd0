#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/image.h>

namespace cudald {

/// What stands behind `beginning`, up to the string's end, in the bytes that a file maps without the right to write:
/// of the first place where a digit follows, or with `any` of the first place. Reads `most` bytes, so a large file may hold
/// it further on.
std::optional<std::string> read_only_text(const File&, const Image&, std::string_view beginning, std::uint64_t most,
                                          bool any = false);

/// Where a text stands alone, between zero bytes, in the read-only data (.rodata, .rdata) of an ELF or PE file; nullopt if
/// it does not, or the file has no section table, or within the first 256 MiB of such data.
std::optional<std::uint64_t> find_constant_text(const File&, const Image&, std::string_view text);

/// The numbers that functions of the form `if (p != 0) *p = number; return 0;` write, in the x86-64 code of a file,
/// whether they are exported or not. Reads `most` bytes.
std::vector<std::uint32_t> numbers_answered(const File&, const Image&, std::uint64_t most);

}  // namespace cudald

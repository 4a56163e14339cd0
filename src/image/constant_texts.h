#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/image.h>

namespace cudald {

/// A text that stands alone, ended by a zero byte, in a file's read-only data, and its place in the file.
struct ConstantText {
  std::string text;
  std::uint64_t offset = 0;
};

/// Where a text stands alone in the read-only data (.rodata, .rdata) of an ELF or PE file; nullopt if it does not, or the
/// file has no section table, or within the first 256 MiB of such data.
std::optional<std::uint64_t> find_constant_text(const File&, const Image&, std::string_view text);

/// The texts there that are names of shared libraries, "libcuda.so.1" or "nvcuda.dll", each once, in the file's order.
std::vector<ConstantText> constant_library_names(const File&, const Image&);

}  // namespace cudald

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <cudald/image.h>

namespace cudald {

/// Where a text stands alone in the read-only data (.rodata, .rdata) of an ELF or PE file; nullopt if it does not, or the
/// file has no section table, or within the first 256 MiB of such data.
std::optional<std::uint64_t> find_constant_text(const File&, const Image&, std::string_view text);

}  // namespace cudald

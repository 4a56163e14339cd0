#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "base/byte_reader.h"

namespace cudald {

// APPNOTE 4.3.7 to 4.3.16: the records of an archive, and their lengths without what varies.
constexpr std::uint32_t zip_local_signature = 0x04034b50;
constexpr std::uint32_t zip_descriptor_signature = 0x08074b50;
constexpr std::uint32_t zip_central_signature = 0x02014b50;
constexpr std::uint32_t zip64_end_signature = 0x06064b50;
constexpr std::uint32_t zip64_locator_signature = 0x07064b50;
constexpr std::uint32_t zip_end_signature = 0x06054b50;
constexpr std::uint64_t zip_local_bytes = 30;
constexpr std::uint64_t zip_central_bytes = 46;
constexpr std::uint64_t zip64_end_bytes = 56;
constexpr std::uint64_t zip64_locator_bytes = 20;
constexpr std::uint64_t zip_end_bytes = 22;

// General purpose flags, APPNOTE 4.4.4.
constexpr std::uint16_t zip_flag_encrypted = 1 << 0;
constexpr std::uint16_t zip_flag_descriptor = 1 << 3;
constexpr std::uint16_t zip_flag_patch = 1 << 5;
constexpr std::uint16_t zip_flag_strong_encryption = 1 << 6;
constexpr std::uint16_t zip_flag_utf8 = 1 << 11;
constexpr std::uint16_t zip_flag_masked = 1 << 13;

// "The real value is in the zip64 record."
constexpr std::uint16_t zip64_instead_16 = 0xffff;
constexpr std::uint32_t zip64_instead_32 = 0xffffffff;

/// Reads `length` bytes at `offset` into `into`; an error if the file ends before, which it did not when its size
/// was asked for.
std::optional<Error> read_range(const File&, std::uint64_t offset, std::uint64_t length, std::vector<std::byte>& into);

std::string_view as_text(std::span<const std::byte>);

/// A name as part of a sentence, cut if it is long.
std::string quoted(std::string_view name);

/// The extra fields of a record that matter here.
struct ZipExtra {
  std::string fault;  ///< empty, or what is wrong with the fields as such
  std::optional<std::span<const std::byte>> zip64;
  std::optional<std::string_view> unicode_path;
};

ZipExtra read_zip_extra(std::span<const std::byte>);

}  // namespace cudald

#include "archive/zip_bytes.h"

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::uint16_t extra_zip64 = 0x0001;
constexpr std::uint16_t extra_unicode_path = 0x7075;  // Info-ZIP: version, CRC-32 of the other name, name

}  // namespace

std::optional<Error> read_range(const File& file, std::uint64_t offset, std::uint64_t length,
                                std::vector<std::byte>& into) {
  into.resize(length);
  if (length == 0) return std::nullopt;
  const auto got = file.read(offset, into);
  if (!got) return got.error();
  if (*got != length)
    return Error{ErrorCode::unreadable, "the file became shorter while it was read", {}, offset + *got};
  return std::nullopt;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string quoted(std::string_view name) {
  constexpr std::size_t most = 120;
  return fmt::format("`{}{}`", name.substr(0, most), name.size() > most ? "..." : "");
}

ZipExtra read_zip_extra(std::span<const std::byte> bytes) {
  ZipExtra extra;
  const ByteReader reader(bytes, ByteOrder::little);
  std::uint64_t at = 0;
  while (at < reader.size()) {
    if (!reader.holds(at, 4)) {
      extra.fault = fmt::format("{} bytes behind the last extra field", reader.size() - at);
      return extra;
    }
    const auto id = reader.unchecked<std::uint16_t>(at);
    const auto length = reader.unchecked<std::uint16_t>(at + 2);
    at += 4;
    if (!reader.holds(at, length)) {
      extra.fault =
          fmt::format("an extra field {:#06x} of {} bytes that runs over the end of the extra fields", id, length);
      return extra;
    }
    const auto content = reader.bytes(at, length);
    at += length;
    if (id == extra_zip64) {
      if (extra.zip64) extra.fault = "two zip64 extra fields";
      extra.zip64 = content;
    } else if (id == extra_unicode_path) {
      if (extra.unicode_path) extra.fault = "two Unicode Path extra fields";
      extra.unicode_path = as_text(content.size() > 5 ? content.subspan(5) : std::span<const std::byte>());
    }
  }
  return extra;
}

}  // namespace cudald

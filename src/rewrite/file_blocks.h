#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Gives all bytes of a file to `use`, one block after another, until it returns an error; that one, or why the file
/// cannot be read.
template <class Use>
std::optional<Error> each_block(const File& file, const Use& use) {
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::uint64_t at = 0; at < file.status().size;) {
    const auto got = file.read(at, block);
    if (!got) return got.error();
    if (*got == 0) return Error{ErrorCode::unreadable, "the file became shorter while it was read", ""};
    if (std::optional<Error> error = use(std::span<const std::byte>(block).first(*got))) return error;
    at += *got;
  }
  return std::nullopt;
}

}  // namespace cudald

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "archive/member_file.h"

namespace cudald {

// Nothing is claimed about tars beyond these.
constexpr std::size_t most_tar_members = 700'000;
constexpr std::size_t most_tar_name_bytes = std::size_t{64} << 20;  ///< of all members, with their sparse extents

/// One member of a tar; names are raw bytes.
struct TarMember {
  enum class Kind : std::uint8_t { file, folder, symlink, hard_link, other };
  Kind kind = Kind::file;
  std::uint16_t mode = 0;  ///< permission bits of st_mode
  std::string name, link;
  std::uint64_t header_offset = 0;    ///< in the tar
  std::uint64_t offset = 0;           ///< of the first byte in the tar
  std::uint64_t size = 0;             ///< as a file; of sparse ones with the holes
  std::vector<SparseExtent> extents;  ///< empty: not sparse

  std::uint64_t stored_size() const;
};

/// Goes through the headers of a tar (ustar, pax, GNU), in order; of members' bytes only what `visit` reads is read.
/// Returns what ended it before the end: damage (malformed), or a limit.
std::optional<Error> list_tar(const File&, const std::string& name, const std::function<void(TarMember&)>& visit);

/// The member's bytes, read in place.
std::shared_ptr<const File> open_tar_member(std::shared_ptr<const File> tar, const TarMember&, FileStatus);

}  // namespace cudald

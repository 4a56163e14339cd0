#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Bytes of a sparse file that the archive holds; the rest of the file is zeros.
struct SparseExtent {
  std::uint64_t offset{};  ///< in the file
  std::uint64_t length{};
};

/// A member that lies in the archive as it is, from `offset`, and by its name there; with its checksum, if it has one.
std::shared_ptr<const File> make_stored_file(std::shared_ptr<const File> archive, std::uint64_t offset, FileStatus,
                                             std::optional<std::uint32_t> crc32 = {}, std::string name = {});
/// A sparse member, whose extents lie one after another in the archive, from `offset`.
std::shared_ptr<const File> make_sparse_file(std::shared_ptr<const File> archive, std::uint64_t offset, FileStatus,
                                             std::vector<SparseExtent>);
/// One reader's hold on a file that several may read.
std::unique_ptr<File> share_file(std::shared_ptr<const File>);

}  // namespace cudald

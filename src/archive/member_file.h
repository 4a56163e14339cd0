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
class SharedFile : public File {
 public:
  explicit SharedFile(std::shared_ptr<const File> file) : file_(std::move(file)) {}
  const FileStatus& status() const override { return file_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    return file_->read(offset, into);
  }
  std::optional<Error> verify() const override { return file_->verify(); }
  bool is_stream() const override { return file_->is_stream(); }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override {
    return file_->reads_anywhere(offset, size);
  }
  std::string identity() const override { return file_->identity(); }
  const KeptFile* kept() const override { return file_->kept(); }

 private:
  std::shared_ptr<const File> file_;
};
std::unique_ptr<File> share_file(std::shared_ptr<const File>);

}  // namespace cudald

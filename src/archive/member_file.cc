#include "archive/member_file.h"

#include <algorithm>
#include <cstring>

#include "archive/inflated_file.h"

namespace cudald {
namespace {

class StoredFile final : public File {
 public:
  StoredFile(std::shared_ptr<const File> archive, std::uint64_t offset, FileStatus status,
             std::optional<std::uint32_t> crc32, std::string name)
      : archive_(std::move(archive)), offset_(offset), status_(status), crc32_(crc32), name_(std::move(name)) {}

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= status_.size) return std::size_t{0};
    return archive_->read(offset_ + offset, into.first(std::min<std::uint64_t>(into.size(), status_.size - offset)));
  }
  std::optional<Error> verify() const override { return crc32_ ? check_crc32(*this, *crc32_, name_) : std::nullopt; }
  bool is_stream() const override { return archive_->is_stream(); }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override {
    return archive_->reads_anywhere(offset_ + offset, size);
  }

 private:
  std::shared_ptr<const File> archive_;
  std::uint64_t offset_;
  FileStatus status_;
  std::optional<std::uint32_t> crc32_;
  std::string name_;
};

class SparseFile final : public File {
 public:
  SparseFile(std::shared_ptr<const File> archive, std::uint64_t offset, FileStatus status,
             std::vector<SparseExtent> extents)
      : archive_(std::move(archive)), status_(status), extents_(std::move(extents)) {
    for (const auto& extent : extents_) {
      stored_at_.push_back(offset);
      offset += extent.length;
    }
  }

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= status_.size) return std::size_t{0};
    into = into.first(std::min<std::uint64_t>(into.size(), status_.size - offset));
    std::fill(into.begin(), into.end(), std::byte{0});
    // They follow one another: libarchive takes no others.
    auto extent = std::partition_point(extents_.begin(), extents_.end(),
                                       [offset](const SparseExtent& one) { return one.offset + one.length <= offset; });
    for (; extent != extents_.end() && extent->offset < offset + into.size(); ++extent) {
      const auto begin = std::max(extent->offset, offset);
      const auto end = std::min(extent->offset + extent->length, offset + into.size());
      const auto part = into.subspan(begin - offset, end - begin);
      const auto at = stored_at_[static_cast<std::size_t>(extent - extents_.begin())];
      const auto got = archive_->read(at + (begin - extent->offset), part);
      if (!got) return got;
      if (*got != part.size()) return static_cast<std::size_t>(begin - offset + *got);
    }
    return into.size();
  }
  bool is_stream() const override { return archive_->is_stream(); }

 private:
  std::shared_ptr<const File> archive_;
  FileStatus status_;
  std::vector<SparseExtent> extents_;
  std::vector<std::uint64_t> stored_at_;  ///< where each extent lies in the archive
};

}  // namespace

std::shared_ptr<const File> make_stored_file(std::shared_ptr<const File> archive, std::uint64_t offset,
                                             FileStatus status, std::optional<std::uint32_t> crc32, std::string name) {
  return std::make_shared<StoredFile>(std::move(archive), offset, status, crc32, std::move(name));
}

std::shared_ptr<const File> make_sparse_file(std::shared_ptr<const File> archive, std::uint64_t offset,
                                             FileStatus status, std::vector<SparseExtent> extents) {
  return std::make_shared<SparseFile>(std::move(archive), offset, status, std::move(extents));
}

std::unique_ptr<File> share_file(std::shared_ptr<const File> file) {
  return std::make_unique<SharedFile>(std::move(file));
}

}  // namespace cudald

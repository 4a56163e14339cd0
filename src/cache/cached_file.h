#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <cudald/file_system.h>

#include "cache/cached_archive.h"

namespace cudald {

/// The last 64 KB of an archive, where its directory has the checksums of its members; empty if they cannot be read.
std::vector<std::byte> end_of(const File&);

/// An archive, or a member of one, of which what is read is kept for the next run, see KeptArchive. The file itself is
/// opened when something is asked that is not kept.
class KeptFile final : public File {
 public:
  using Opener = std::function<Result<std::shared_ptr<const File>>()>;

  /// `status` and `is_stream` are those of the file itself.
  KeptFile(std::shared_ptr<KeptArchive> archive, std::size_t part, FileStatus status, bool is_stream, Opener opener);

  const FileStatus& status() const override { return status_; }
  bool is_stream() const override { return is_stream_; }
  /// Of what is kept alone, also where the file itself could be read in any order: it need not be opened for it.
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override {
    return archive_->holds(part_, offset, size);
  }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;
  std::optional<Error> verify() const override;
  /// Of an archive, what names its content, and the checksum of its end; of a member nothing.
  std::string identity() const override;
  const KeptFile* kept() const override { return this; }

  /// The same bytes; what is read of them so is not kept. For whoever goes through all of the file.
  const File& passing() const { return *passing_; }
  /// Whether all of it has gone by in some run, so that what matters of it is kept.
  bool has_passed() const { return archive_->has(part_, KeptArchive::Mark::passed); }
  void note_passed() const { archive_->set(part_, KeptArchive::Mark::passed); }

  /// The file itself.
  Result<std::shared_ptr<const File>> itself() const;
  /// A member of the archive that this file is.
  std::shared_ptr<const File> member(std::size_t index, const FileStatus&, bool is_stream, Opener) const;

 private:
  std::shared_ptr<KeptArchive> archive_;
  std::size_t part_;
  FileStatus status_;
  bool is_stream_;
  Opener opener_;
  std::unique_ptr<const File> passing_;
  mutable std::mutex mutex_;
  mutable std::optional<Result<std::shared_ptr<const File>>> itself_;
};

}  // namespace cudald

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// A part of a new file: bytes of the file that it is made from or of another one, bytes of its own, or zeros.
struct Piece {
  std::uint64_t size = 0;
  std::optional<std::uint64_t> from = {};   ///< where they begin in that file; none: `bytes`
  std::string bytes = {};                   ///< empty: zeros
  std::shared_ptr<const File> source = {};  ///< the other file
};

/// A file that is described by pieces: what was not changed is read from its source. So an edit can be judged before
/// it is written, and a large file is never in memory.
class NewFile final : public File {
 public:
  NewFile(std::shared_ptr<const File> source, std::vector<Piece> pieces);

  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;
  bool is_at_hand() const override { return source_->is_at_hand(); }
  MountFlags mount() const override { return source_->mount(); }
  std::string capabilities() const override { return source_->capabilities(); }

 private:
  Result<std::size_t> read_piece(const Piece&, std::uint64_t skip, std::span<std::byte> into) const;

  std::shared_ptr<const File> source_;
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> starts_;  ///< of each piece
  FileStatus status_;
};

}  // namespace cudald

#include "rewrite/new_file.h"

#include <algorithm>
#include <cstring>

namespace cudald {

NewFile::NewFile(std::shared_ptr<const File> source, std::vector<Piece> pieces)
    : source_(std::move(source)), pieces_(std::move(pieces)), status_(source_->status()) {
  status_.size = 0;
  for (const Piece& piece : pieces_) {
    starts_.push_back(status_.size);
    status_.size += piece.size;
  }
}

Result<std::size_t> NewFile::read_piece(const Piece& piece, std::uint64_t skip, std::span<std::byte> into) const {
  if (piece.from) {
    const auto& source = piece.source ? *piece.source : *source_;
    const auto got = source.read(*piece.from + skip, into);
    if (got && *got != into.size())
      return Error{ErrorCode::unreadable, "the file became shorter while it was read", ""};
    return got;
  }
  if (piece.bytes.empty())
    std::memset(into.data(), 0, into.size());
  else
    std::memcpy(into.data(), piece.bytes.data() + skip, into.size());
  return into.size();
}

Result<std::size_t> NewFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  if (next == starts_.begin()) return done;
  for (auto number = static_cast<std::size_t>(next - starts_.begin()) - 1;
       number < pieces_.size() && done < into.size(); ++number) {
    const Piece& piece = pieces_[number];
    const auto skip = offset + done - starts_[number];
    if (skip >= piece.size) continue;
    const auto size = std::min<std::uint64_t>(piece.size - skip, into.size() - done);
    const auto got = read_piece(piece, skip, into.subspan(done, size));
    if (!got) return got;
    done += size;
  }
  return done;
}

}  // namespace cudald

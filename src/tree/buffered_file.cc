#include "tree/buffered_file.h"

#include <algorithm>
#include <cstring>

namespace cudald {

Result<std::size_t> BufferedFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (into.size() > block_size) return file_->read(offset, into);
  std::size_t done = 0;
  while (done < into.size()) {
    const auto at = offset + done;
    const auto found = block(at / block_size);
    if (!found) return found.error();
    const auto& [number, size, bytes] = **found;
    const auto skipped = static_cast<std::size_t>(at % block_size);
    const auto length = std::min(into.size() - done, size - std::min(size, skipped));
    if (length == 0) break;
    std::memcpy(into.data() + done, bytes.data() + skipped, length);
    done += length;
  }
  return done;
}

Result<const BufferedFile::Block*> BufferedFile::block(std::uint64_t number) const {
  const auto known =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& one) { return one.number == number; });
  if (known != blocks_.end()) return &*known;
  auto& taken = blocks_[next_];
  next_ = (next_ + 1) % blocks_.size();
  taken.number = UINT64_MAX;
  if (taken.bytes.size() == 0) taken.bytes = ReadBuffer(block_size);
  const auto got = file_->read(number * block_size, taken.bytes.room());
  if (!got) return got.error();
  taken.number = number;
  taken.size = *got;
  return &taken;
}

std::unique_ptr<File> buffered(std::unique_ptr<File> file) {
  if (!file->is_at_hand()) return file;
  return std::make_unique<BufferedFile>(std::move(file));
}

}  // namespace cudald

#include "cache/checked_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/crc32.h"
#include "os/scratch_file.h"

namespace cudald {
bool CheckedBlocks::read_blocks(std::uint64_t number, std::span<std::byte> into) {
  if (!read_at(file_, begin_ + number * block_size, into)) return false;
  for (; !into.empty(); ++number) {
    const auto block = into.first(std::min<std::uint64_t>(into.size(), block_size));
    if (crc32_after(0, block) != checksums_[number]) return false;
    agreed_[number] = true;
    into = into.subspan(block.size());
  }
  return true;
}

bool CheckedBlocks::agree(std::uint64_t at, std::uint64_t size) {
  if (at > length_ || size > length_ - at) return false;
  constexpr std::uint64_t at_once = 8;
  std::vector<std::byte> buffer;
  const auto end = count(at + size);
  for (auto number = at / block_size; number < end;) {
    auto last = number;
    while (last < end && last - number < at_once && !agreed_[last]) ++last;
    buffer.resize(std::min(last * block_size, length_) - std::min(number * block_size, length_));
    if (!read_blocks(number, buffer)) return false;
    number = std::max(last, number + 1);
  }
  return true;
}

std::span<const std::byte> CheckedBlocks::window_of(std::uint64_t number) {
  for (const auto& window : windows_)
    if (window.number == number) return window.bytes;
  auto& window = windows_[std::exchange(oldest_, (oldest_ + 1) % windows_.size())];
  window.number = UINT64_MAX;
  window.bytes.resize(std::min(block_size, length_ - number * block_size));
  if (!read_blocks(number, window.bytes)) return {};
  window.number = number;
  return window.bytes;
}

bool CheckedBlocks::read(std::uint64_t at, std::span<std::byte> into) {
  if (at > length_ || into.size() > length_ - at) return false;
  while (!into.empty()) {
    const auto skip = at % block_size;
    const bool to_the_end = into.size() == length_ - at;
    auto taken = skip != 0 ? 0 : to_the_end ? into.size() : into.size() / block_size * block_size;
    if (taken != 0) {
      if (!read_blocks(at / block_size, into.first(taken))) return false;
    } else {
      const auto window = window_of(at / block_size);
      if (window.empty()) return false;
      taken = std::min(into.size(), window.size() - skip);
      std::memcpy(into.data(), window.data() + skip, taken);
    }
    into = into.subspan(taken);
    at += taken;
  }
  return true;
}

void BlockChecksums::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (in_last_ == CheckedBlocks::block_size) {
      checksums_.push_back(0);
      in_last_ = 0;
    }
    const auto some = bytes.first(std::min<std::uint64_t>(bytes.size(), CheckedBlocks::block_size - in_last_));
    checksums_.back() = crc32_after(checksums_.back(), some);
    in_last_ += some.size();
    bytes = bytes.subspan(some.size());
  }
}

}  // namespace cudald

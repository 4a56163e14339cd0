#include "rewrite/elf_patches.h"

#include <algorithm>

namespace cudald {

std::string number_bytes(std::uint64_t value, std::size_t size, ByteOrder order) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    const auto place = order == ByteOrder::little ? i : size - 1 - i;
    bytes[place] = static_cast<char>(value >> (8 * i));
  }
  return bytes;
}

bool ElfPatches::overlap() const {
  std::uint64_t end = 0;
  for (const auto& [at, bytes] : patches_) {
    if (at < end) return true;
    end = at + bytes.size();
  }
  return false;
}

void ElfPatches::append(std::uint64_t begin, std::uint64_t end, std::vector<Piece>& pieces) const {
  const auto copy_to = [&](std::uint64_t until) {
    if (until > begin) pieces.push_back({until - begin, begin});
    begin = std::max(begin, until);
  };
  for (auto patch = patches_.lower_bound(begin); patch != patches_.end() && patch->first < end; ++patch) {
    copy_to(patch->first);
    pieces.push_back({patch->second.size(), std::nullopt, patch->second});
    begin = patch->first + patch->second.size();
  }
  copy_to(end);
}

}  // namespace cudald

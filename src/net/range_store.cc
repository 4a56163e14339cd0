#include "net/range_store.h"

#include <algorithm>

#include "os/own_file.h"
#include "os/scratch_file.h"

namespace cudald {

RangeStore::RangeStore() : file_(open_scratch_file()) {}

RangeStore::~RangeStore() {
  if (file_ >= 0) close_own_file(file_);
}

std::uint64_t RangeStore::there(std::uint64_t offset) const {
  auto part = parts_.upper_bound(offset);
  if (part == parts_.begin()) return 0;
  --part;
  return part->second > offset ? part->second - offset : 0;
}

std::optional<std::uint64_t> RangeStore::next(std::uint64_t offset) const {
  if (there(offset) > 0) return offset;
  const auto part = parts_.lower_bound(offset);
  if (part == parts_.end()) return std::nullopt;
  return part->first;
}

bool RangeStore::add(std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return true;
  if (file_ < 0 || !write_at(file_, offset, std::as_bytes(std::span(bytes)))) return false;
  auto begin = offset, end = offset + bytes.size();
  auto part = parts_.upper_bound(begin);
  if (part != parts_.begin() && std::prev(part)->second >= begin) --part;
  while (part != parts_.end() && part->first <= end) {
    begin = std::min(begin, part->first);
    end = std::max(end, part->second);
    part = parts_.erase(part);
  }
  parts_[begin] = end;
  return true;
}

bool RangeStore::copy(std::uint64_t offset, std::span<std::byte> into) const {
  if (there(offset) < into.size()) return false;
  return read_at(file_, offset, into);
}

std::uint64_t RangeStore::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : parts_) sum += end - begin;
  return sum;
}

}  // namespace cudald

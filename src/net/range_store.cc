#include "net/range_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::string_view magic = "cudald-ranges-1\n";
constexpr std::uint64_t most_parts = 1'000'000, most_etag = 4096;

bool write_all(int file, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const auto written = ::write(file, bytes, size);
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* data, std::size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const auto got = ::read(file, bytes, size);
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool pwrite_all(int file, const char* data, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const auto written = ::pwrite(file, data, size, static_cast<off_t>(offset));
    if (written <= 0) return false;
    data += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

RangeStore::RangeStore() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/cudald-XXXXXX", folder != nullptr && *folder != 0 ? folder : "/tmp");
  file_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (file_ >= 0) ::unlink(path.c_str());
}

RangeStore::~RangeStore() {
  if (file_ >= 0) ::close(file_);
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
  if (file_ < 0 || !pwrite_all(file_, bytes.data(), bytes.size(), offset)) return false;
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
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got = ::pread(file_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t RangeStore::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : parts_) sum += end - begin;
  return sum;
}

bool RangeStore::save(const std::string& path, const Facts& facts) const {
  std::string beside = path + ".XXXXXX";
  const int out = ::mkostemp(beside.data(), O_CLOEXEC);
  if (out < 0) return false;
  const std::uint64_t head[] = {facts.size, parts_.size(), facts.etag.size()};
  bool good = write_all(out, magic.data(), magic.size()) && write_all(out, head, sizeof(head)) &&
              write_all(out, facts.etag.data(), facts.etag.size());
  for (const auto& [begin, end] : parts_) {
    const std::uint64_t row[] = {begin, end};
    good = good && write_all(out, row, sizeof(row));
  }
  std::vector<std::byte> buffer(1 << 20);
  for (const auto& [begin, end] : parts_)
    for (auto at = begin; good && at < end;) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - at));
      good = copy(at, std::span(buffer).first(size)) && write_all(out, buffer.data(), size);
      at += size;
    }
  good = ::close(out) == 0 && good && ::rename(beside.c_str(), path.c_str()) == 0;
  if (!good) ::unlink(beside.c_str());
  return good;
}

std::optional<RangeStore::Facts> RangeStore::load(const std::string& path) {
  const int in = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (in < 0) return std::nullopt;
  const auto read = [&]() -> std::optional<Facts> {
    std::array<char, magic.size()> word{};
    std::array<std::uint64_t, 3> head{};
    if (!read_all(in, word.data(), word.size()) || std::memcmp(word.data(), magic.data(), magic.size()) != 0 ||
        !read_all(in, head.data(), sizeof(head)) || head[1] > most_parts || head[2] > most_etag)
      return std::nullopt;
    Facts facts{head[0], std::string(head[2], '\0')};
    if (!read_all(in, facts.etag.data(), facts.etag.size())) return std::nullopt;
    std::vector<std::array<std::uint64_t, 2>> rows(head[1]);
    std::uint64_t before = 0, sum = 0;
    for (auto& row : rows) {
      if (!read_all(in, row.data(), sizeof(row)) || row[0] < before || row[1] <= row[0] || row[1] > facts.size)
        return std::nullopt;
      before = row[1];
      sum += row[1] - row[0];
    }
    struct stat status{};
    const auto place = ::lseek(in, 0, SEEK_CUR);
    if (::fstat(in, &status) != 0 || static_cast<std::uint64_t>(status.st_size - place) != sum) return std::nullopt;
    std::string buffer(1 << 20, '\0');
    for (const auto& row : rows)
      for (auto at = row[0]; at < row[1];) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), row[1] - at));
        if (!read_all(in, buffer.data(), size) || !add(at, std::string_view(buffer).substr(0, size)))
          return std::nullopt;
        at += size;
      }
    return facts;
  }();
  ::close(in);
  if (!read) parts_.clear();
  return read;
}

}  // namespace cudald

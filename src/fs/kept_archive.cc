#include "fs/kept_archive.h"

#include <fcntl.h>
#include <isa-l/crc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "fs/scratch_file.h"

namespace cudald {
namespace {

constexpr std::uint64_t magic = 0x31'74'70'65'6b'64'75'63;  // "cudkept1" where bytes are in this machine's order
constexpr std::uint64_t most_bytes = std::uint64_t{512} << 20, most_table_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t most_in_memory = std::uint64_t{2} << 20;
constexpr std::size_t most_at_once = std::size_t{1} << 18;

/// What the file begins with. The key follows it, then the table, then the bytes of the parts.
struct Head {
  std::uint64_t magic = 0, key_length = 0, size = 0, table_length = 0, crc32 = 0;
};

/// One part in the table; the rows of its pieces follow, offset and length.
struct PartRow {
  std::uint64_t number = 0, marks = 0, pieces = 0, length = 0, crc32 = 0;
};

std::uint32_t add_to_crc32(std::uint32_t crc32, std::span<const std::byte> bytes) {
  return crc32_gzip_refl(crc32, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Of all that stands in front of the parts' bytes, but itself.
std::uint32_t crc32_of(Head head, const std::string& key, std::span<const std::byte> table) {
  head.crc32 = 0;
  auto crc32 = add_to_crc32(0, std::as_bytes(std::span(&head, 1)));
  crc32 = add_to_crc32(crc32, bytes_of(key));
  return add_to_crc32(crc32, table);
}

template <typename T>
bool take(std::span<const std::byte>& from, T& into) {
  if (from.size() < sizeof(T)) return false;
  std::memcpy(&into, from.data(), sizeof(T));
  from = from.subspan(sizeof(T));
  return true;
}

}  // namespace

std::shared_ptr<KeptArchive> KeptArchive::make(std::string path, std::string key) {
  return std::shared_ptr<KeptArchive>(new KeptArchive(std::move(path), std::move(key)));
}

std::shared_ptr<KeptArchive> KeptArchive::open(std::string path, std::string key) {
  auto archive = make(std::move(path), std::move(key));
  if (!archive->load()) {
    archive->parts_.clear();
    archive->size_.reset();
    if (archive->file_ >= 0) ::close(archive->file_);
    archive->file_ = -1;
  }
  return archive;
}

KeptArchive::~KeptArchive() {
  if (file_ >= 0) ::close(file_);
  if (scratch_ >= 0) ::close(scratch_);
}

bool KeptArchive::load() {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status{};
  if (file_ < 0 || ::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto end = static_cast<std::uint64_t>(status.st_size);
  Head head;
  if (end < sizeof(head) || !read_at(file_, 0, std::as_writable_bytes(std::span(&head, 1))) || head.magic != magic ||
      head.key_length != key_.size() || head.table_length > most_table_bytes ||
      head.table_length > end - sizeof(head) || head.key_length > end - sizeof(head) - head.table_length)
    return false;
  std::string key(head.key_length, '\0');
  std::vector<std::byte> table(head.table_length);
  if (!read_at(file_, sizeof(head), std::as_writable_bytes(std::span(key))) || key != key_ ||
      !read_at(file_, sizeof(head) + key.size(), table) || crc32_of(head, key, table) != head.crc32)
    return false;
  size_ = head.size;
  if (!load_parts(table, sizeof(head) + key.size() + table.size(), end)) return false;
  // The files that were used longest ago are taken away first.
  ::futimens(file_, nullptr);
  return true;
}

bool KeptArchive::load_parts(std::span<const std::byte> table, std::uint64_t at, std::uint64_t end) {
  while (!table.empty()) {
    PartRow row;
    if (!take(table, row) || row.length > end - at || row.pieces > table.size() / 16) return false;
    auto& part = parts_[row.number];
    part.marks = row.marks;
    part.begin = at;
    part.length = row.length;
    part.crc32 = static_cast<std::uint32_t>(row.crc32);
    part.checked = row.length == 0;
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < row.pieces; ++i) {
      std::array<std::uint64_t, 2> piece{};
      if (!take(table, piece) || piece[0] < before || piece[1] > part.begin + part.length - at ||
          piece[1] > UINT64_MAX - piece[0])
        return false;
      part.pieces.emplace_hint(part.pieces.end(), piece[0], Piece{piece[1], at, false});
      before = piece[0] + piece[1];
      at += piece[1];
    }
    if (at != part.begin + part.length) return false;
  }
  return at == end;
}

std::optional<std::uint64_t> KeptArchive::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

void KeptArchive::set_size(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  if (size_ == size) return;
  size_ = size;
  is_new_ = true;
}

bool KeptArchive::check(Part& part) const {
  if (part.checked) return true;
  std::vector<std::byte> buffer(std::min<std::uint64_t>(most_at_once, part.length));
  std::uint32_t crc32 = 0;
  bool good = true;
  const bool many_pieces = part.length <= most_in_memory && part.pieces.size() > 16;
  for (std::uint64_t done = 0; good && done < part.length;) {
    const auto bytes = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), part.length - done));
    good = read_at(file_, part.begin + done, bytes);
    crc32 = add_to_crc32(crc32, bytes);
    done += bytes.size();
    if (many_pieces) part.bytes.insert(part.bytes.end(), bytes.begin(), bytes.end());
  }
  part.checked = true;
  if (good && crc32 == part.crc32) return true;
  part.bytes.clear();
  std::erase_if(part.pieces, [](const auto& piece) { return !piece.second.fresh; });
  part.marks = 0;
  return false;
}

KeptArchive::Part* KeptArchive::usable(std::size_t number) const {
  const auto found = parts_.find(number);
  if (forgotten_ || found == parts_.end() || found->second.forgotten) return nullptr;
  check(found->second);
  return &found->second;
}

bool KeptArchive::read(const Piece& piece, std::uint64_t skip, std::span<std::byte> into) const {
  return read_at(piece.fresh ? scratch_ : file_, piece.at + skip, into);
}

bool KeptArchive::copy_whole(std::size_t number, std::uint64_t offset, std::span<std::byte> into) const {
  const auto found = parts_.find(number);
  if (forgotten_ || found == parts_.end() || found->second.forgotten) return false;
  auto& part = found->second;
  if (part.checked || part.pieces.size() != 1) return false;
  const auto& [begin, piece] = *part.pieces.begin();
  if (piece.fresh || begin != offset || piece.length != into.size()) return false;
  if (!read(piece, 0, into) || add_to_crc32(0, into) != part.crc32) return false;
  part.checked = true;
  return true;
}

bool KeptArchive::copy(std::size_t number, std::uint64_t offset, std::span<std::byte> into) const {
  const std::lock_guard lock(mutex_);
  if (copy_whole(number, offset, into)) return true;
  const auto* part = usable(number);
  if (part == nullptr) return into.empty();
  auto piece = part->pieces.upper_bound(offset);
  if (piece == part->pieces.begin()) return into.empty();
  for (--piece; !into.empty(); ++piece) {
    if (piece == part->pieces.end() || piece->first > offset || offset - piece->first >= piece->second.length ||
        piece->second.fresh)
      return false;
    const auto skip = offset - piece->first;
    const auto length = std::min<std::uint64_t>(into.size(), piece->second.length - skip);
    if (!part->bytes.empty())
      std::memcpy(into.data(), part->bytes.data() + (piece->second.at - part->begin + skip), length);
    else if (!read(piece->second, skip, into.first(length)))
      return false;
    into = into.subspan(length);
    offset += length;
  }
  return true;
}

bool KeptArchive::contradicts(std::size_t number, std::uint64_t offset, std::span<const std::byte> bytes) const {
  const std::lock_guard lock(mutex_);
  const auto* part = usable(number);
  if (part == nullptr) return false;
  const auto end = offset + bytes.size();
  auto piece = part->pieces.upper_bound(offset);
  if (piece != part->pieces.begin()) --piece;
  std::vector<std::byte> there;
  for (; piece != part->pieces.end() && piece->first < end; ++piece) {
    const auto from = std::max(offset, piece->first), to = std::min(end, piece->first + piece->second.length);
    if (from >= to) continue;
    there.resize(to - from);
    if (!read(piece->second, from - piece->first, there) ||
        !std::equal(there.begin(), there.end(), bytes.begin() + static_cast<std::ptrdiff_t>(from - offset)))
      return true;
  }
  return false;
}

void KeptArchive::add(std::size_t number, std::uint64_t offset, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (forgotten_ || scratch_end_ > most_bytes) return;
  if (scratch_ < 0) scratch_ = open_scratch_file();
  if (scratch_ < 0) return;
  auto& part = parts_[number];
  if (part.forgotten) return;
  while (!bytes.empty()) {
    auto next = part.pieces.upper_bound(offset);
    if (next != part.pieces.begin()) {
      const auto before = std::prev(next);
      const auto end = before->first + before->second.length;
      if (end > offset) {
        const auto there = std::min<std::uint64_t>(bytes.size(), end - offset);
        bytes = bytes.subspan(there);
        offset += there;
        continue;
      }
    }
    const auto room = next == part.pieces.end() ? bytes.size() : next->first - offset;
    const auto gap = bytes.first(std::min<std::uint64_t>(bytes.size(), room));
    if (!write_at(scratch_, scratch_end_, gap)) return;
    part.pieces.emplace_hint(next, offset, Piece{gap.size(), scratch_end_, true});
    scratch_end_ += gap.size();
    is_new_ = true;
    bytes = bytes.subspan(gap.size());
    offset += gap.size();
  }
}

bool KeptArchive::has(std::size_t number, Mark mark) const {
  const std::lock_guard lock(mutex_);
  const auto* part = usable(number);
  return part != nullptr && (part->marks & static_cast<std::uint64_t>(mark)) != 0;
}

void KeptArchive::set(std::size_t number, Mark mark) {
  const std::lock_guard lock(mutex_);
  auto& part = parts_[number];
  const auto all = part.marks | part.new_marks | static_cast<std::uint64_t>(mark);
  is_new_ = is_new_ || all != (part.marks | part.new_marks);
  part.new_marks |= static_cast<std::uint64_t>(mark);
}

void KeptArchive::forget(std::size_t number) {
  const std::lock_guard lock(mutex_);
  parts_[number].forgotten = true;
}

void KeptArchive::forget_all() {
  const std::lock_guard lock(mutex_);
  forgotten_ = true;
  ::unlink(path_.c_str());
}

std::vector<std::array<std::uint64_t, 2>> KeptArchive::joined(const Part& part) {
  std::vector<std::array<std::uint64_t, 2>> rows;
  for (const auto& [offset, piece] : part.pieces)
    if (!rows.empty() && rows.back()[0] + rows.back()[1] == offset)
      rows.back()[1] += piece.length;
    else
      rows.push_back({offset, piece.length});
  return rows;
}

bool KeptArchive::write_parts(int out, std::uint64_t at, std::vector<std::uint64_t>& table) const {
  at += table.size() * sizeof(table.front());
  std::vector<std::byte> buffer;
  std::size_t row_at = 0;
  for (const auto& [number, part] : parts_) {
    if (part.forgotten) continue;
    PartRow row;
    std::memcpy(static_cast<void*>(&row), &table[row_at], sizeof(row));
    std::uint32_t crc32 = 0;
    for (const auto& [offset, piece] : part.pieces)
      for (std::uint64_t done = 0; done < piece.length;) {
        buffer.resize(std::min<std::uint64_t>(most_at_once, piece.length - done));
        if (!read(piece, done, buffer) || !write_at(out, at, buffer)) return false;
        crc32 = add_to_crc32(crc32, buffer);
        done += buffer.size();
        at += buffer.size();
        row.length += buffer.size();
      }
    row.crc32 = crc32;
    std::memcpy(&table[row_at], &row, sizeof(row));
    row_at += sizeof(row) / sizeof(row.number) + 2 * row.pieces;
  }
  return true;
}

bool KeptArchive::is_new() const {
  const std::lock_guard lock(mutex_);
  return is_new_;
}

bool KeptArchive::save() {
  const std::lock_guard lock(mutex_);
  if (!is_new_ || forgotten_ || !size_) return true;
  is_new_ = false;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
  std::string beside = path_ + ".XXXXXX";
  const int out = ::mkostemp(beside.data(), O_CLOEXEC);
  if (out < 0) return false;
  std::vector<std::uint64_t> table;
  for (auto& [number, part] : parts_) {
    if (part.forgotten) continue;
    check(part);
    const auto rows = joined(part);
    table.insert(table.end(), {number, part.marks | part.new_marks, rows.size(), 0, 0});
    for (const auto& [offset, length] : rows) table.insert(table.end(), {offset, length});
  }
  Head head{magic, key_.size(), *size_, table.size() * sizeof(table.front()), 0};
  bool good = head.table_length <= most_table_bytes && write_parts(out, sizeof(head) + key_.size(), table);
  const auto table_bytes = std::as_bytes(std::span(table));
  head.crc32 = crc32_of(head, key_, table_bytes);
  good = good && write_at(out, 0, std::as_bytes(std::span(&head, 1))) && write_at(out, sizeof(head), bytes_of(key_)) &&
         write_at(out, sizeof(head) + key_.size(), table_bytes);
  good = ::close(out) == 0 && good && ::rename(beside.c_str(), path_.c_str()) == 0;
  if (!good) ::unlink(beside.c_str());
  return good;
}

}  // namespace cudald

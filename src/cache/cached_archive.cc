#include "cache/cached_archive.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/crc32.h"
#include "base/path.h"
#include "os/own_file.h"
#include "os/scratch_file.h"
#include "tree/own_folder.h"

namespace cudald {
namespace {

constexpr std::uint64_t magic = 0x32'74'70'65'6b'64'75'63;  // "cudkept2" where bytes are in this machine's order
constexpr std::uint64_t most_bytes = std::uint64_t{512} << 20, most_table_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_at_once = std::size_t{1} << 18;

/// What the file begins with. The key follows it, then the table, the checksums of the blocks, and the blocks.
struct Head {
  std::uint64_t magic = 0, key_length = 0, size = 0, table_length = 0, length = 0, crc32 = 0;

  std::uint64_t checksums_length() const { return CheckedBlocks::count(length) * sizeof(std::uint32_t); }
  std::uint64_t begin_of_blocks() const { return sizeof(Head) + key_length + table_length + checksums_length(); }
  bool fits(std::uint64_t file_size) const {
    return table_length <= most_table_bytes && length <= file_size && key_length <= file_size &&
           begin_of_blocks() + length == file_size;
  }
};

/// One part in the table; the rows of its pieces follow, offset and length.
struct PartRow {
  std::uint64_t number = 0, marks = 0, pieces = 0;
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Of all that stands in front of the blocks, but itself.
std::uint32_t crc32_of(Head head, const std::string& key, std::span<const std::byte> table,
                       std::span<const std::uint32_t> checksums) {
  head.crc32 = 0;
  auto crc32 = crc32_after(0, std::as_bytes(std::span(&head, 1)));
  crc32 = crc32_after(crc32, bytes_of(key));
  crc32 = crc32_after(crc32, table);
  return crc32_after(crc32, std::as_bytes(checksums));
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
    if (archive->file_ >= 0) close_own_file(archive->file_);
    archive->file_ = -1;
  }
  return archive;
}

KeptArchive::~KeptArchive() {
  if (file_ >= 0) close_own_file(file_);
  if (scratch_ >= 0) close_own_file(scratch_);
}

bool KeptArchive::load() {
  const auto opened = open_own_file(path_);
  file_ = opened.descriptor;
  if (file_ < 0) return false;
  Head head;
  if (!read_at(file_, 0, std::as_writable_bytes(std::span(&head, 1))) || head.magic != magic ||
      head.key_length != key_.size() || !head.fits(opened.size))
    return false;
  std::string key(head.key_length, '\0');
  std::vector<std::byte> table(head.table_length);
  std::vector<std::uint32_t> checksums(CheckedBlocks::count(head.length));
  const auto behind_table = sizeof(head) + key.size() + table.size();
  if (!read_at(file_, sizeof(head), std::as_writable_bytes(std::span(key))) || key != key_ ||
      !read_at(file_, sizeof(head) + key.size(), table) ||
      !read_at(file_, behind_table, std::as_writable_bytes(std::span(checksums))) ||
      crc32_of(head, key, table, checksums) != head.crc32)
    return false;
  size_ = head.size;
  if (!load_parts(table, head.length)) return false;
  blocks_ = CheckedBlocks(file_, head.begin_of_blocks(), head.length, std::move(checksums));
  // The files that were used longest ago are taken away first.
  mark_as_used(file_);
  return true;
}

bool KeptArchive::load_parts(std::span<const std::byte> table, std::uint64_t length) {
  std::uint64_t at = 0;
  while (!table.empty()) {
    PartRow row;
    if (!take(table, row)) return false;
    auto& part = parts_[row.number];
    part.marks = row.marks;
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < row.pieces; ++i) {
      std::array<std::uint64_t, 2> piece{};
      if (!take(table, piece) || piece[0] < before || piece[1] > length - at || piece[1] > UINT64_MAX - piece[0])
        return false;
      part.pieces.emplace_hint(part.pieces.end(), piece[0], Piece{piece[1], at, false});
      before = piece[0] + piece[1];
      at += piece[1];
    }
  }
  return at == length;
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

KeptArchive::Part* KeptArchive::find(std::size_t number) const {
  const auto found = parts_.find(number);
  return forgotten_ || found == parts_.end() || found->second.forgotten ? nullptr : &found->second;
}

bool KeptArchive::read(const Piece& piece, std::uint64_t skip, std::span<std::byte> into) const {
  return piece.fresh ? read_at(scratch_, piece.at + skip, into) : blocks_.read(piece.at + skip, into);
}

bool KeptArchive::holds(std::size_t number, std::uint64_t offset, std::uint64_t size) const {
  const std::lock_guard lock(mutex_);
  auto* part = find(number);
  if (part == nullptr) return false;
  const auto next = part->pieces.upper_bound(offset);
  if (next == part->pieces.begin()) return false;
  const auto place = std::prev(next);
  const auto& [begin, piece] = *place;
  const auto skip = offset - begin;
  if (piece.fresh || skip > piece.length || size > piece.length - skip) return false;
  if (blocks_.agree(piece.at + skip, size)) return true;
  part->drop(place);
  return false;
}

bool KeptArchive::copy(std::size_t number, std::uint64_t offset, std::span<std::byte> into) const {
  const std::lock_guard lock(mutex_);
  auto* part = find(number);
  if (part == nullptr) return into.empty();
  auto piece = part->pieces.upper_bound(offset);
  if (piece == part->pieces.begin()) return into.empty();
  for (--piece; !into.empty(); ++piece) {
    if (piece == part->pieces.end() || piece->first > offset || offset - piece->first >= piece->second.length ||
        piece->second.fresh)
      return false;
    const auto skip = offset - piece->first;
    const auto length = std::min<std::uint64_t>(into.size(), piece->second.length - skip);
    if (!read(piece->second, skip, into.first(length))) {
      part->drop(piece);
      return false;
    }
    into = into.subspan(length);
    offset += length;
  }
  return true;
}

bool KeptArchive::contradicts(std::size_t number, std::uint64_t offset, std::span<const std::byte> bytes) const {
  const std::lock_guard lock(mutex_);
  const auto* part = find(number);
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
  const auto* part = find(number);
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
  remove_file(path_);
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

bool KeptArchive::write_parts(int out, std::uint64_t at, BlockChecksums& checksums) const {
  std::vector<std::byte> buffer;
  for (const auto& [number, part] : parts_) {
    if (part.forgotten) continue;
    for (const auto& [offset, piece] : part.pieces)
      for (std::uint64_t done = 0; done < piece.length; done += buffer.size()) {
        buffer.resize(std::min<std::uint64_t>(most_at_once, piece.length - done));
        if (!read(piece, done, buffer) || !write_at(out, at, buffer)) return false;
        checksums.add(buffer);
        at += buffer.size();
      }
  }
  return true;
}

bool KeptArchive::is_new() const {
  const std::lock_guard lock(mutex_);
  return is_new_;
}

void KeptArchive::drop_damaged(Part& part) {
  const auto damaged = [this](const auto& row) {
    const auto& piece = row.second;
    return !piece.fresh && !blocks_.agree(piece.at, piece.length);
  };
  if (std::erase_if(part.pieces, damaged) != 0) part.marks = 0;
}

bool KeptArchive::write_file(int out) {
  std::vector<std::uint64_t> table;
  Head head{magic, key_.size(), *size_, 0, 0, 0};
  for (auto& [number, part] : parts_) {
    if (part.forgotten) continue;
    drop_damaged(part);
    const auto rows = joined(part);
    table.insert(table.end(), {number, part.marks | part.new_marks, rows.size()});
    for (const auto& [offset, length] : rows) {
      table.insert(table.end(), {offset, length});
      head.length += length;
    }
  }
  const auto table_bytes = std::as_bytes(std::span(table));
  head.table_length = table_bytes.size();
  BlockChecksums checksums;
  if (head.table_length > most_table_bytes || !write_parts(out, head.begin_of_blocks(), checksums)) return false;
  head.crc32 = crc32_of(head, key_, table_bytes, checksums.all());
  const auto behind_table = sizeof(head) + key_.size() + table_bytes.size();
  return write_at(out, 0, std::as_bytes(std::span(&head, 1))) && write_at(out, sizeof(head), bytes_of(key_)) &&
         write_at(out, sizeof(head) + key_.size(), table_bytes) &&
         write_at(out, behind_table, std::as_bytes(std::span(checksums.all())));
}

bool KeptArchive::save() {
  const std::lock_guard lock(mutex_);
  if (!is_new_ || forgotten_ || !size_) return true;
  is_new_ = false;
  make_own_folders(std::string(parent_path(path_)));
  const auto beside = make_file_beside(path_);
  if (beside.descriptor < 0) return false;
  const bool written = write_file(beside.descriptor);
  const bool good = close_own_file(beside.descriptor) && written && rename_file(beside.path, path_);
  if (!good) remove_file(beside.path);
  return good;
}

}  // namespace cudald

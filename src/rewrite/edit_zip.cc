// A zip archive, made anew from the parts of another one. Source: PKWARE APPNOTE 6.3, 4.3.7 (local header), 4.3.12
// (central directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
#include "rewrite/edit_zip.h"

#include <algorithm>
#include <concepts>

#include <fmt/format.h>

#include "archive/zip_bytes.h"
#include "base/byte_reader.h"

namespace cudald {
namespace {

constexpr std::uint16_t zip64_version = 45, zip64_extra_id = 1;
constexpr std::size_t most_extra_bytes = 0xffff;

template <std::unsigned_integral Number>
void append(std::string& bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

template <std::unsigned_integral Number>
void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t narrow_32(std::uint64_t value) { return std::min<std::uint64_t>(value, zip64_instead_32); }

/// What the directory says of one member of the new archive.
struct Entry {
  std::uint64_t size = 0, compressed_size = 0, offset = 0;
  std::uint32_t crc32 = 0;
  bool is_new = false, is_gone = false;
};

class ZipEditor {
 public:
  ZipEditor(const File& archive, const ZipDirectory& directory, const ZipEdits& edits)
      : archive_(archive), directory_(directory), edits_(edits), entries_(directory.members().size()) {}

  Result<std::vector<Piece>> run() {
    if (auto error = refusal(directory_.problems())) return std::move(*error);
    for (const auto index : directory_.in_file_order())
      if (auto error = add_member(index)) return std::move(*error);
    add_directory();
    return std::move(pieces_);
  }

 private:
  std::optional<Error> refusal(const ZipProblems& problems) const {
    if (problems.empty()) return std::nullopt;
    const auto& first = problems.kept().front();
    return Error{ErrorCode::malformed,
                 fmt::format("the archive is not edited: {} {}",
                             first.member ? quoted(directory_.members()[*first.member].name) : "it", first.message),
                 ""};
  }

  std::optional<Error> add_member(std::size_t index) {
    const auto& member = directory_.members()[index];
    const auto data = find_member_data(archive_, directory_, index);
    if (!data) return data.error();
    if (auto error = refusal(data->problems)) return error;
    auto& entry = entries_[index];
    entry = {member.size, member.compressed_size, at_, member.crc32};
    const auto edit = edits_.find(index);
    if (edit == edits_.end()) {
      add(Piece{data->end - member.header_offset, member.header_offset});
      return std::nullopt;
    }
    if (!edit->second) {
      entry.is_gone = true;
      return std::nullopt;
    }
    const auto& made = *edit->second;
    entry = {made.size, made.data.size, at_, made.crc32, true};
    return add_new(member, made);
  }

  /// A local header that says itself what it is in front of, and the data.
  std::optional<Error> add_new(const ZipMember& member, const NewMember& made) {
    std::vector<std::byte> old;
    if (auto error = read_range(archive_, member.header_offset, zip_local_bytes, old)) return error;
    std::string header(as_text(old));
    const bool wide = std::max(made.size, made.data.size) >= zip64_instead_32;
    if (wide) put<std::uint16_t>(header, 4, zip64_version);
    put<std::uint16_t>(header, 6, member.flags & zip_flag_utf8);
    put<std::uint32_t>(header, 14, made.crc32);
    put<std::uint32_t>(header, 18, wide ? zip64_instead_32 : made.data.size);
    put<std::uint32_t>(header, 22, wide ? zip64_instead_32 : made.size);
    put<std::uint16_t>(header, 28, wide ? 20 : 0);
    header += member.name;
    if (wide) {
      append<std::uint16_t>(header, zip64_extra_id);
      append<std::uint16_t>(header, 16);
      append<std::uint64_t>(header, made.size);
      append<std::uint64_t>(header, made.data.size);
    }
    add(std::move(header));
    if (made.data.size != 0) add(made.data);
    return std::nullopt;
  }

  void add_directory() {
    const auto start = at_;
    std::string records;
    std::uint64_t count = 0;
    const ByteReader bytes(directory_.records(), ByteOrder::little);
    std::size_t at = 0;
    for (const auto& entry : entries_) {
      const auto name = bytes.unchecked<std::uint16_t>(at + 28), extra = bytes.unchecked<std::uint16_t>(at + 30),
                 comment = bytes.unchecked<std::uint16_t>(at + 32);
      const auto length = zip_central_bytes + name + extra + comment;
      if (!entry.is_gone) {
        records += record_of(entry, std::string(as_text(directory_.records().subspan(at, length))), name, extra);
        ++count;
      }
      at += length;
    }
    add(std::move(records));
    add_end(start, count);
  }

  static std::string record_of(const Entry& entry, std::string old, std::size_t name, std::size_t extra) {
    std::string wide;
    for (const auto value : {entry.size, entry.compressed_size, entry.offset})
      if (value >= zip64_instead_32) append<std::uint64_t>(wide, value);
    const auto extra_start = zip_central_bytes + name;
    auto extras = without_zip64(std::string_view(old).substr(extra_start, extra));
    if (!wide.empty()) {
      if (extras.size() + 4 + wide.size() > most_extra_bytes)
        extras.clear();  // none of the others is needed to read it
      append<std::uint16_t>(extras, zip64_extra_id);
      append<std::uint16_t>(extras, wide.size());
      extras += wide;
      const auto version = static_cast<unsigned char>(old[6]);
      put<std::uint16_t>(old, 6, std::max<std::uint64_t>(version, zip64_version));
    }
    if (entry.is_new) {
      put<std::uint16_t>(old, 8, (static_cast<unsigned char>(old[9]) << 8U) & zip_flag_utf8);
      put<std::uint32_t>(old, 16, entry.crc32);
    }
    put<std::uint32_t>(old, 20, narrow_32(entry.compressed_size));
    put<std::uint32_t>(old, 24, narrow_32(entry.size));
    put<std::uint16_t>(old, 30, extras.size());
    put<std::uint32_t>(old, 42, narrow_32(entry.offset));
    return old.replace(extra_start, extra, extras);
  }

  /// The extra fields of a record; they were checked when the directory was read.
  static std::string without_zip64(std::string_view fields) {
    std::string kept;
    while (fields.size() >= 4) {
      const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(fields[at])}; };
      const auto number = [&](std::size_t at) { return byte(at) | byte(at + 1) << 8U; };
      const auto length = std::min<std::size_t>(4 + number(2), fields.size());
      if (number(0) != zip64_extra_id) kept += fields.substr(0, length);
      fields.remove_prefix(length);
    }
    return kept;
  }

  void add_end(std::uint64_t start, std::uint64_t count) {
    const auto size = at_ - start;
    std::string end;
    if (count >= zip64_instead_16 || size >= zip64_instead_32 || start >= zip64_instead_32) {
      append<std::uint32_t>(end, zip64_end_signature);
      append<std::uint64_t>(end, zip64_end_bytes - 12);
      append<std::uint16_t>(end, std::uint64_t{3} << 8U | zip64_version);  // made on Unix
      append<std::uint16_t>(end, zip64_version);
      append<std::uint64_t>(end, 0);  // the number of this disk, and of that with the directory
      for (const auto value : {count, count, size, start}) append<std::uint64_t>(end, value);
      append<std::uint32_t>(end, zip64_locator_signature);
      append<std::uint32_t>(end, 0);
      append<std::uint64_t>(end, at_);
      append<std::uint32_t>(end, 1);
    }
    append<std::uint32_t>(end, zip_end_signature);
    append<std::uint32_t>(end, 0);
    for (int i = 0; i < 2; ++i) append<std::uint16_t>(end, std::min<std::uint64_t>(count, zip64_instead_16));
    append<std::uint32_t>(end, narrow_32(size));
    append<std::uint32_t>(end, narrow_32(start));
    append<std::uint16_t>(end, 0);
    add(std::move(end));
  }

  void add(Piece piece) {
    at_ += piece.size;
    pieces_.push_back(std::move(piece));
  }
  void add(std::string bytes) {
    const auto size = bytes.size();
    if (size != 0) add(Piece{size, {}, std::move(bytes)});
  }

  const File& archive_;
  const ZipDirectory& directory_;
  const ZipEdits& edits_;
  std::vector<Entry> entries_;
  std::vector<Piece> pieces_;
  std::uint64_t at_ = 0;
};

}  // namespace

Result<std::vector<Piece>> edit_zip(const File& archive, const ZipDirectory& directory, const ZipEdits& edits) {
  return ZipEditor(archive, directory, edits).run();
}

}  // namespace cudald

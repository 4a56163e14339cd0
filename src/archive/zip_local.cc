// Local headers, and the data descriptors behind members whose sizes were not known when they were written. Readers
// that stream an archive believe them, the others believe the directory.

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "archive/zip_bytes.h"
#include "archive/zip_directory.h"

namespace cudald {
namespace {

class LocalHeaderReader {
 public:
  LocalHeaderReader(const File& file, const ZipDirectory& directory) : file_(file), directory_(directory) {}

  Result<ZipMemberData> read(std::size_t index) {
    index_ = index;
    member_ = &directory_.members()[index];
    data_ = {};
    data_.end = member_->end_limit;
    // The directory has said already that such a member does not lie inside the archive.
    if (member_->end_limit - member_->header_offset < zip_local_bytes) return std::move(data_);
    if (auto error = read_header()) return *error;
    if (bytes().unchecked<std::uint32_t>(0) != zip_local_signature) {
      add(ZipProblemKind::local_header, "has no local header where the directory says");
      return std::move(data_);
    }
    const auto header_length = zip_local_bytes + name_length() + extra_length();
    const auto room = member_->end_limit - member_->header_offset;
    if (header_length > room || room - header_length < member_->compressed_size) {
      // If the local header is not longer than it must be, the directory has said so.
      if (header_length > zip_local_bytes + member_->name.size())
        add(ZipProblemKind::overlap, fmt::format("overlaps the data at {}", member_->end_limit));
      return std::move(data_);
    }
    data_.usable = member_->usable;
    data_.offset = member_->header_offset + header_length;
    data_.end = data_.offset + member_->compressed_size;
    compare();
    if ((flags() & zip_flag_descriptor) != 0)
      if (auto error = read_descriptor()) return *error;
    return std::move(data_);
  }

 private:
  ByteReader bytes() const { return {header_, ByteOrder::little}; }
  std::uint16_t flags() const { return bytes().unchecked<std::uint16_t>(6); }
  std::uint16_t name_length() const { return bytes().unchecked<std::uint16_t>(26); }
  std::uint16_t extra_length() const { return bytes().unchecked<std::uint16_t>(28); }

  void add(ZipProblemKind kind, std::string message) {
    data_.problems.add({kind, index_, member_->header_offset, std::move(message), false});
  }

  // Mostly one read: the name is as long as in the directory, and the extra fields are short.
  std::optional<Error> read_header() {
    constexpr std::uint64_t usual_extra_bytes = 64;
    const auto room = member_->end_limit - member_->header_offset;
    const auto usual = zip_local_bytes + member_->name.size() + usual_extra_bytes;
    if (auto error = read_range(file_, member_->header_offset, std::min(room, usual), header_)) return error;
    const auto whole = std::min<std::uint64_t>(room, zip_local_bytes + name_length() + extra_length());
    if (whole <= header_.size()) return std::nullopt;
    return read_range(file_, member_->header_offset, whole, header_);
  }

  void compare() {
    const auto name = as_text(bytes().bytes(zip_local_bytes, name_length()));
    if (name != member_->name)
      add(ZipProblemKind::local_name, fmt::format("is named {} by its local header", quoted(name)));

    const auto method = bytes().unchecked<std::uint16_t>(8);
    if (method != member_->method)
      add(ZipProblemKind::local_method,
          fmt::format("is compressed by method {} for its local header, by method {} for the directory", method,
                      member_->method));

    constexpr auto compared =
        zip_flag_encrypted | zip_flag_descriptor | zip_flag_strong_encryption | zip_flag_utf8 | zip_flag_masked;
    if (((flags() ^ member_->flags) & compared) != 0)
      add(ZipProblemKind::local_flags,
          fmt::format("has the flags {:#06x} in its local header, {:#06x} in the directory", flags(), member_->flags));
    compare_sizes();
  }

  void compare_sizes() {
    const auto crc32 = bytes().unchecked<std::uint32_t>(14);
    std::uint64_t compressed = bytes().unchecked<std::uint32_t>(18);
    std::uint64_t size = bytes().unchecked<std::uint32_t>(22);
    const auto extra = read_zip_extra(bytes().bytes(zip_local_bytes + name_length(), extra_length()));
    if (!extra.fault.empty()) add(ZipProblemKind::local_extra, "has, in its local header, " + extra.fault);
    if (extra.unicode_path && *extra.unicode_path != member_->name)
      add(ZipProblemKind::unicode_path,
          fmt::format("is named {} by an extra field of its local header", quoted(*extra.unicode_path)));
    if (extra.zip64) {
      // APPNOTE 4.5.3: in a local header always both sizes.
      const ByteReader zip64(*extra.zip64, ByteOrder::little);
      if (zip64.size() != 16) {
        add(ZipProblemKind::local_extra,
            fmt::format("has a zip64 extra field of {} bytes in its local header, where 16 belong", zip64.size()));
        return;
      }
      if (size == zip64_instead_32) size = zip64.unchecked<std::uint64_t>(0);
      if (compressed == zip64_instead_32) compressed = zip64.unchecked<std::uint64_t>(8);
    }
    const bool later = (flags() & zip_flag_descriptor) != 0;  // the data descriptor gives them
    const auto agrees = [later](std::uint64_t here, std::uint64_t there) {
      return here == there || (later && (here == 0 || here == zip64_instead_32));
    };
    if (!agrees(compressed, member_->compressed_size) || !agrees(size, member_->size))
      add(ZipProblemKind::local_sizes,
          fmt::format("has {} bytes, {} compressed, for its local header; {} and {} for the directory", size,
                      compressed, member_->size, member_->compressed_size));
    else if (!agrees(crc32, member_->crc32))
      add(ZipProblemKind::local_sizes, "has another checksum in its local header than in the directory");
  }

  // APPNOTE 4.3.9: with or without a signature, with sizes of 4 or, for zip64, 8 bytes.
  std::optional<Error> read_descriptor() {
    constexpr std::uint64_t longest = 24;
    const auto room = std::min(longest, member_->end_limit - data_.end);
    if (auto error = read_range(file_, data_.end, room, descriptor_)) return error;
    std::uint64_t fits = 0;
    for (const bool wide : {false, true})
      for (const bool marked : {true, false}) {
        const auto length = descriptor_fits(wide, marked);
        const bool reaches_end = data_.end + length == member_->end_limit;
        if (length > 0 && (fits == 0 || reaches_end)) fits = length;
      }
    if (fits == 0) {
      add(ZipProblemKind::data_descriptor, "has no data descriptor that agrees with the directory");
      data_.end = member_->end_limit;  // whatever the bytes there are
    } else {
      data_.end += fits;
    }
    return std::nullopt;
  }

  /// The length of the descriptor, or 0 if it is not one of this form that agrees with the directory.
  std::uint64_t descriptor_fits(bool wide, bool marked) const {
    const ByteReader bytes(descriptor_, ByteOrder::little);
    const std::uint64_t start = marked ? 4 : 0;
    const std::uint64_t length = start + (wide ? 20 : 12);
    if (!bytes.holds(0, length)) return 0;
    const auto compressed =
        wide ? bytes.unchecked<std::uint64_t>(start + 4) : bytes.unchecked<std::uint32_t>(start + 4);
    const auto size = wide ? bytes.unchecked<std::uint64_t>(start + 12) : bytes.unchecked<std::uint32_t>(start + 8);
    const bool agrees = (!marked || bytes.unchecked<std::uint32_t>(0) == zip_descriptor_signature) &&
                        bytes.unchecked<std::uint32_t>(start) == member_->crc32 &&
                        compressed == member_->compressed_size && size == member_->size;
    return agrees ? length : 0;
  }

  const File& file_;
  const ZipDirectory& directory_;
  const ZipMember* member_ = nullptr;
  std::size_t index_ = 0;
  ZipMemberData data_;
  std::vector<std::byte> header_, descriptor_;
};

}  // namespace

Result<ZipMemberData> find_member_data(const File& file, const ZipDirectory& directory, std::size_t member) {
  return LocalHeaderReader(file, directory).read(member);
}

Result<ZipProblems> check_local_headers(const File& file, const ZipDirectory& directory) {
  ZipProblems problems;
  LocalHeaderReader reader(file, directory);
  const bool all_known = !directory.problems().any_fatal();
  for (const auto index : directory.in_file_order()) {
    const auto data = reader.read(index);
    if (!data) return data.error();
    problems.add(data->problems);
    const auto& member = directory.members()[index];
    if (all_known && data->end < member.end_limit)
      problems.add({ZipProblemKind::unclaimed_bytes, index, data->end,
                    fmt::format("is followed by {} bytes that belong to no member", member.end_limit - data->end),
                    false});
  }
  return problems;
}

}  // namespace cudald

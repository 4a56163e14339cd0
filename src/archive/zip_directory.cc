#include "archive/zip_directory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "archive/unix_mode.h"
#include "archive/zip_bytes.h"
#include "archive/zip_end.h"
#include "archive/zip_names.h"

namespace cudald {
namespace {

constexpr unsigned latest_version = 63;  // APPNOTE 4.4.3: of the format, times ten
// A code of one bit for length 258 and one of one bit for its distance: 258 bytes out of a quarter.
constexpr std::uint64_t best_deflate_ratio = 1032;
// No library of that size is so empty; a bomb is.
constexpr std::uint64_t bomb_ratio = 100;
constexpr std::uint64_t bomb_member_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t bomb_archive_bytes = std::uint64_t{4} << 30;

/// Appends the name as a case-insensitive file system sees it. NUL stands for the slash, so that sorting puts a
/// folder's members right behind it.
void append_sort_key(std::string_view name, std::vector<char>& keys) {
  const auto begin = keys.size();
  while (!name.empty()) {
    const auto end = name.find('/');
    const auto part = name.substr(0, end);
    if (!part.empty() && part != ".") {
      if (keys.size() > begin) keys.push_back('\0');
      for (const char c : part) keys.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
  }
}

}  // namespace

std::string_view ZipDirectory::key(std::size_t member) const {
  const std::size_t begin = member == 0 ? 0 : key_ends_[member - 1];
  return {keys_.data() + begin, key_ends_[member] - begin};
}

std::optional<std::size_t> ZipDirectory::find(std::string_view name) const {
  std::vector<char> buffer;
  append_sort_key(name, buffer);
  const std::string_view wanted(buffer.data(), buffer.size());
  const auto after = std::upper_bound(by_key_.begin(), by_key_.end(), 0, [&](int, std::uint32_t member) {
    return std::tuple(wanted, name) < std::tuple(key(member), members_[member].name);
  });
  if (after == by_key_.begin() || members_[*std::prev(after)].name != name) return std::nullopt;
  return *std::prev(after);
}

std::vector<std::uint32_t> ZipDirectory::in_file_order() const {
  std::vector<std::uint32_t> order(members_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return members_[a].header_offset < members_[b].header_offset;
  });
  return order;
}

class ZipDirectoryReader {
 public:
  ZipDirectoryReader(const File& file, const InflateLimits& limits) : file_(file), limits_(limits) {}

  Result<ZipDirectory> read() {
    const auto end = find_zip_end(file_, directory_.problems_);
    if (!end) return end.error();
    if (!*end) return std::move(directory_);
    const auto& found = **end;
    directory_.start_ = found.directory_start;
    directory_.prefix_ = found.prefix;
    const auto length = std::min(found.directory_size, most_zip_directory_bytes);
    if (auto error = read_range(file_, found.directory_start, length, directory_.bytes_)) return *error;

    read_records(found.directory_size);
    if (!directory_.problems_.any_fatal() && found.stated_count != directory_.members_.size())
      add(ZipProblemKind::directory_count, std::nullopt, directory_.start_,
          fmt::format("has {} members in its directory, and {} by its end record", directory_.members_.size(),
                      found.stated_count));
    check_places();
    check_proportion();
    check_total();
    sort_names();
    compare_names();
    return std::move(directory_);
  }

 private:
  void add(ZipProblemKind kind, std::optional<std::size_t> member, std::uint64_t offset, std::string message,
           bool fatal = false) {
    directory_.problems_.add({kind, member, offset, std::move(message), fatal});
  }

  void read_records(std::uint64_t stated_size) {
    const ByteReader bytes(directory_.bytes_, ByteOrder::little);
    const bool cut = stated_size > bytes.size();
    std::uint64_t at = 0;
    while (at < bytes.size()) {
      const auto offset = directory_.start_ + at;
      if (directory_.members_.size() == most_zip_members)
        return add(ZipProblemKind::too_many_members, std::nullopt, offset,
                   fmt::format("has more than {} members", most_zip_members), true);
      const bool holds = bytes.holds(at, zip_central_bytes);
      if (holds && bytes.unchecked<std::uint32_t>(at) != zip_central_signature)
        return add(ZipProblemKind::directory_record, std::nullopt, offset,
                   fmt::format("has a directory that is broken behind member {}: no record begins at {}",
                               directory_.members_.size(), offset),
                   true);
      const auto length = holds ? record_length(bytes, at) : zip_central_bytes;
      if (!bytes.holds(at, length)) {
        if (cut) break;
        return add(ZipProblemKind::directory_record, std::nullopt, offset,
                   fmt::format("has a directory that ends within record {}", directory_.members_.size() + 1), true);
      }
      read_record(bytes, at);
      if ((path_bytes_ += new_path_bytes()) > most_zip_path_bytes)
        return add(
            ZipProblemKind::too_many_members, std::nullopt, offset,
            fmt::format("has paths of more than {} bytes, members and directories together", most_zip_path_bytes),
            true);
      at += length;
    }
    if (cut)
      add(ZipProblemKind::too_many_members, std::nullopt, directory_.start_ + at,
          fmt::format("has a directory of {} bytes; {} are read", stated_size, bytes.size()), true);
  }

  /// How long the path of the last member is, and those of its folders that the member before it does not share.
  std::size_t new_path_bytes() const {
    constexpr std::size_t overhead = 64;  // of keeping one
    const auto& members = directory_.members_;
    const auto name = members.back().name;
    const auto before = members.size() > 1 ? members[members.size() - 2].name : std::string_view();
    const auto shared = std::mismatch(name.begin(), name.end(), before.begin(), before.end()).first - name.begin();
    std::size_t bytes = name.size() + overhead;
    for (auto slash = name.find('/', static_cast<std::size_t>(shared)); slash != name.npos;
         slash = name.find('/', slash + 1))
      bytes += slash + overhead;
    return bytes;
  }

  static std::uint64_t record_length(const ByteReader& bytes, std::uint64_t at) {
    return zip_central_bytes + bytes.unchecked<std::uint16_t>(at + 28) + bytes.unchecked<std::uint16_t>(at + 30) +
           bytes.unchecked<std::uint16_t>(at + 32);
  }

  void read_record(const ByteReader& bytes, std::uint64_t at) {
    const auto index = directory_.members_.size();
    const auto offset = directory_.start_ + at;
    const auto name_length = bytes.unchecked<std::uint16_t>(at + 28);
    const auto extra_length = bytes.unchecked<std::uint16_t>(at + 30);

    ZipMember member;
    member.flags = bytes.unchecked<std::uint16_t>(at + 8);
    member.method = bytes.unchecked<std::uint16_t>(at + 10);
    member.crc32 = bytes.unchecked<std::uint32_t>(at + 16);
    member.compressed_size = bytes.unchecked<std::uint32_t>(at + 20);
    member.size = bytes.unchecked<std::uint32_t>(at + 24);
    // Whatever system the archive was made on: pip and others do not ask either.
    member.mode = bytes.unchecked<std::uint32_t>(at + 38) >> 16;
    member.header_offset = bytes.unchecked<std::uint32_t>(at + 42);
    member.name = as_text(bytes.bytes(at + zip_central_bytes, name_length));
    member.folder = member.name.ends_with('/');
    member.encrypted = (member.flags & (zip_flag_encrypted | zip_flag_strong_encryption | zip_flag_masked)) != 0;
    member.symlink = (member.mode & unix_mode::kind) == unix_mode::link;

    const unsigned version = bytes.unchecked<std::uint8_t>(at + 6);
    if (version > latest_version)
      add(ZipProblemKind::version_needed, index, offset,
          fmt::format("needs version {}.{} of the zip format; Python's zipfile refuses the archive", version / 10,
                      version % 10));
    const auto disk = bytes.unchecked<std::uint16_t>(at + 34);
    if (disk != 0 && disk != zip64_instead_16)
      add(ZipProblemKind::several_volumes, index, offset, fmt::format("claims to begin in volume {}", disk + 1));
    const auto report = [&](ZipProblemKind kind, std::string message) { add(kind, index, offset, std::move(message)); };
    check_zip_name(member.name, (member.flags & zip_flag_utf8) != 0, report);
    read_extra(bytes.bytes(at + zip_central_bytes + name_length, extra_length), disk, member, report);
    check_kind(member, report);
    check_sizes(member, report);
    directory_.members_.push_back(member);
  }

  // APPNOTE 4.5.3: exactly those values that are all ones in the record, in this order.
  template <typename Report>
  static void read_extra(std::span<const std::byte> bytes, std::uint16_t disk, ZipMember& member, Report report) {
    const auto extra = read_zip_extra(bytes);
    if (!extra.fault.empty()) report(ZipProblemKind::extra_field, "has " + extra.fault);
    if (extra.unicode_path && *extra.unicode_path != member.name)
      report(ZipProblemKind::unicode_path,
             fmt::format("is named {} by an extra field, which some readers prefer", quoted(*extra.unicode_path)));

    std::uint64_t needed = disk == zip64_instead_16 && extra.zip64 ? 4 : 0;
    for (const auto value : {&member.size, &member.compressed_size, &member.header_offset})
      if (*value == zip64_instead_32) needed += 8;
    if (!extra.zip64) {
      if (needed == 0) return;
      report(ZipProblemKind::zip64_extra, "refers to a zip64 extra field, and has none");
      member.usable = false;
      return;
    }
    const ByteReader zip64(*extra.zip64, ByteOrder::little);
    if (zip64.size() != needed)
      report(ZipProblemKind::zip64_extra,
             fmt::format("has a zip64 extra field of {} bytes, where {} belong", zip64.size(), needed));
    if (zip64.size() < needed) {
      member.usable = false;
      return;
    }
    std::uint64_t at = 0;
    for (const auto value : {&member.size, &member.compressed_size, &member.header_offset})
      if (*value == zip64_instead_32) {
        *value = zip64.unchecked<std::uint64_t>(at);
        at += 8;
      }
  }

  template <typename Report>
  static void check_kind(ZipMember& member, Report report) {
    const auto type = member.mode & unix_mode::kind;
    if (member.symlink) report(ZipProblemKind::symlink, "is a symbolic link: some extractors follow it, pip does not");
    constexpr std::array special{unix_mode::character_device, unix_mode::block_device, unix_mode::pipe,
                                 unix_mode::socket};
    if (std::find(special.begin(), special.end(), type) != special.end())
      report(ZipProblemKind::special_file, "is a device, FIFO or socket by its mode");
    if (type == unix_mode::directory && !member.folder)
      report(ZipProblemKind::file_and_folder, "is a directory by its mode and a file by its name");
    if (member.folder && member.size > 0)
      report(ZipProblemKind::folder_with_data, fmt::format("is a directory with {} bytes of data", member.size));
    if (member.encrypted) {
      report(ZipProblemKind::encrypted, "is encrypted");
      member.usable = false;
    } else if (member.method != zip_stored && member.method != zip_deflated) {
      report(ZipProblemKind::unsupported_method,
             fmt::format("is compressed by method {}; cudald reads stored and deflated members", member.method));
      member.usable = false;
    } else if ((member.flags & zip_flag_patch) != 0) {
      report(ZipProblemKind::unsupported_method, "is a compressed patch, not a file");
      member.usable = false;
    }
  }

  template <typename Report>
  void check_sizes(ZipMember& member, Report report) const {
    if (!member.usable) return;
    const auto size = member.size, compressed = member.compressed_size;
    // In this order: a lie first, then what may be true and is too much.
    if (member.method == zip_stored && size != compressed)
      report(ZipProblemKind::stored_size,
             fmt::format("is stored, and yet has {} bytes outside and {} in the archive", size, compressed));
    else if (size / best_deflate_ratio + (size % best_deflate_ratio != 0) > compressed)
      report(ZipProblemKind::impossible_ratio,
             fmt::format("claims to inflate from {} to {} bytes; deflate cannot exceed {}:1", compressed, size,
                         best_deflate_ratio));
    else if (size > bomb_member_bytes && size / bomb_ratio > compressed)
      report(ZipProblemKind::bomb, fmt::format("inflates from {} to {} bytes", compressed, size));
    else if (size > limits_.member)
      report(ZipProblemKind::too_large,
             fmt::format("has {} bytes, and --max-member is {}: it is not read", size, limits_.member));
    else if (size / limits_.ratio + (size % limits_.ratio != 0) > compressed)
      report(ZipProblemKind::over_ratio,
             fmt::format("inflates from {} to {} bytes, and --max-ratio is {}: it is not read", compressed, size,
                         limits_.ratio));
    else
      return;
    member.usable = false;
  }

  // A member's local header is not read yet: it is at least as long as the name.
  void check_places() {
    auto& members = directory_.members_;
    for (auto& member : members) {
      const auto index = static_cast<std::size_t>(&member - members.data());
      const auto room = directory_.start_ - directory_.prefix_;
      if (member.header_offset > room || room - member.header_offset < zip_local_bytes) {
        add(ZipProblemKind::outside, index, directory_.start_,
            fmt::format("claims to begin at {}, which is not in front of the directory at {}", member.header_offset,
                        room));
        member.usable = false;
        member.header_offset = room;
      }
      member.header_offset += directory_.prefix_;
    }

    const auto order = directory_.in_file_order();
    auto limit = directory_.start_;
    for (auto i = order.size(); i-- > 0;) {
      auto& member = members[order[i]];
      member.end_limit = limit;
      if (member.header_offset == directory_.start_) continue;  // outside, as was said
      const auto room = limit - member.header_offset;
      const auto shortest_header = zip_local_bytes + member.name.size();
      if (room < shortest_header || room - shortest_header < member.compressed_size) {
        add(ZipProblemKind::overlap, order[i], member.header_offset,
            limit == directory_.start_ ? fmt::format("runs into the directory at {}", limit)
                                       : fmt::format("runs into {} at {}", quoted(members[order[i + 1]].name), limit));
        member.usable = false;
      }
      limit = member.header_offset;
    }
    const bool all_known = !directory_.problems_.any_fatal();
    if (all_known && limit > 0 && (limit < directory_.start_ || members.empty()))
      add(ZipProblemKind::prefix_data, std::nullopt, 0,
          fmt::format("has {} bytes in front of its first member, where some readers begin", limit));
  }

  void check_proportion() {
    std::uint64_t total = 0;
    for (const auto& member : directory_.members_)
      if (member.usable) total += member.size;
    const auto file_size = file_.status().size;
    if (total <= bomb_archive_bytes || total / bomb_ratio <= file_size) return;
    add(ZipProblemKind::bomb, std::nullopt, directory_.start_,
        fmt::format("inflates from {} to {} bytes", file_size, total));
    for (auto& member : directory_.members_)
      if (member.size / bomb_ratio > member.compressed_size) member.usable = false;
  }

  void check_total() {
    std::uint64_t total = 0;
    std::size_t left_out = 0;
    for (auto& member : directory_.members_) {
      if (!member.usable) continue;
      if (member.size <= limits_.total - total) {
        total += member.size;
      } else {
        member.usable = false;
        ++left_out;
      }
    }
    if (left_out > 0)
      add(ZipProblemKind::over_total, std::nullopt, directory_.start_,
          fmt::format("has {} members that are not read: with them more than the {} bytes of --max-total would be "
                      "inflated",
                      left_out, limits_.total));
  }

  void sort_names() {
    const auto& members = directory_.members_;
    directory_.keys_.reserve(directory_.bytes_.size());
    directory_.key_ends_.reserve(members.size());
    for (const auto& member : members) {
      append_sort_key(member.name, directory_.keys_);
      directory_.key_ends_.push_back(static_cast<std::uint32_t>(directory_.keys_.size()));
    }
    auto& order = directory_.by_key_;
    order.resize(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(directory_.key(a), members[a].name, a) < std::tuple(directory_.key(b), members[b].name, b);
    });
  }

  // Names that meet on some file system are neighbours in this order, and a folder's members follow it.
  void compare_names() {
    const auto& order = directory_.by_key_;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const auto before = directory_.key(order[i - 1]), here = directory_.key(order[i]);
      if (before == here)
        compare_same(order[i - 1], order[i]);
      else if (here.starts_with(before) && here[before.size()] == '\0')
        compare_folder(order[i - 1], order[i]);
    }
  }

  void compare_same(std::uint32_t one, std::uint32_t other) {
    const auto& a = directory_.members_[one];
    const auto& b = directory_.members_[other];
    const bool same_case = plain_zip_name(a.name) == plain_zip_name(b.name);
    const auto report = [&](ZipProblemKind kind, std::string message) {
      add(kind, other, directory_.start_, std::move(message));
    };
    if (!same_case)
      report(ZipProblemKind::duplicate_ignoring_case,
             fmt::format("differs from {} only in upper and lower case: on Windows and macOS one replaces the other",
                         quoted(a.name)));
    else if (a.folder != b.folder)
      report(ZipProblemKind::file_and_folder,
             fmt::format("shares its name with {}, and only one of them is a directory", quoted(a.name)));
    else if (a.name == b.name)
      report(ZipProblemKind::duplicate_name, "has the name of an earlier member, which pip does not see");
    else
      report(ZipProblemKind::duplicate_name, fmt::format("leads to the same file as {}", quoted(a.name)));
  }

  void compare_folder(std::uint32_t outer, std::uint32_t inner) {
    const auto& file = directory_.members_[outer];
    const auto& below = directory_.members_[inner];
    if (file.folder) return;
    const bool same_case = plain_zip_name(below.name).starts_with(plain_zip_name(file.name) + '/');
    add(same_case ? ZipProblemKind::file_and_folder : ZipProblemKind::duplicate_ignoring_case, outer, directory_.start_,
        fmt::format("is a file, and {}the directory of {}", same_case ? "" : "but for upper and lower case ",
                    quoted(below.name)));
  }

  const File& file_;
  const InflateLimits& limits_;
  ZipDirectory directory_;
  std::size_t path_bytes_ = 0;
};

Result<ZipDirectory> read_zip_directory(const File& file, const InflateLimits& limits) {
  return ZipDirectoryReader(file, limits).read();
}

}  // namespace cudald

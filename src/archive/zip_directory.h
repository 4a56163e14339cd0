#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/limits.h>

#include "archive/zip_problem.h"

namespace cudald {

// Nothing is claimed about archives beyond these.
constexpr std::uint64_t most_zip_directory_bytes = 16 << 20;
constexpr std::size_t most_zip_members = 100'000;
constexpr std::size_t most_zip_path_bytes = 64 << 20;  ///< of all members and folders; "a/b/c" has 1 + 3 + 5

constexpr std::uint16_t zip_stored = 0;
constexpr std::uint16_t zip_deflated = 8;

/// One record of the central directory.
struct ZipMember {
  std::string_view name;  ///< raw bytes; valid as long as the directory
  std::uint64_t compressed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header_offset = 0;  ///< of the local header in the file
  std::uint64_t end_limit = 0;      ///< where the next member or the directory begins
  std::uint32_t crc32 = 0;
  std::uint32_t mode = 0;  ///< st_mode of Unix; 0 if the archive gives none
  std::uint16_t method = zip_stored;
  std::uint16_t flags = 0;
  bool folder = false;  ///< the name ends with a slash
  bool symlink = false;
  bool encrypted = false;
  bool usable = true;  ///< false: its bytes must not or cannot be read
};

/// The members of an archive and what is wrong with them.
class ZipDirectory {
 public:
  ZipDirectory(ZipDirectory&&) = default;
  ZipDirectory& operator=(ZipDirectory&&) = default;

  /// In the directory's order. Not all of them if problems().any_fatal().
  const std::vector<ZipMember>& members() const { return members_; }
  const ZipProblems& problems() const { return problems_; }
  /// The member of exactly this name; of several the last, as Python's zipfile has it.
  std::optional<std::size_t> find(std::string_view name) const;
  /// Indices of the members as they follow one another in the file.
  std::vector<std::uint32_t> in_file_order() const;

  /// The records as they are in the file.
  std::span<const std::byte> records() const { return bytes_; }
  std::uint64_t start() const { return start_; }    ///< file offset of the first directory record
  std::uint64_t prefix() const { return prefix_; }  ///< bytes in front of the archive, counted in every offset

 private:
  friend class ZipDirectoryReader;
  ZipDirectory() = default;

  std::vector<std::byte> bytes_;  // the directory as it is in the file: names point into it
  std::vector<ZipMember> members_;
  std::vector<char> keys_;               // the names as sort_key() gives them
  std::vector<std::uint32_t> key_ends_;  // by member
  std::vector<std::uint32_t> by_key_;    // members sorted by key, name, and index
  ZipProblems problems_;
  std::uint64_t start_ = 0, prefix_ = 0;

  std::string_view key(std::size_t member) const;
};

/// Reads the directory of an archive: its end and the directory itself, but no local header, so that the cost is
/// one or two reads however many members there are. An error is given only if the file cannot be read; all else is
/// among the problems. Memory is bounded by the directory's bytes, never by a stated count.
///
/// Where readers of archives differ, the members are those that Python's zipfile (hence pip) sees, and the
/// difference is a problem. Source: PKWARE APPNOTE 6.3, sections 4.3 to 4.5; CPython Lib/zipfile.py; the upload
/// check of PyPI (warehouse/utils/zipfiles.py).
Result<ZipDirectory> read_zip_directory(const File&, const InflateLimits& = {});

/// Where the bytes of one member lie.
struct ZipMemberData {
  std::uint64_t offset = 0;  ///< of the first compressed byte in the file
  std::uint64_t end = 0;     ///< behind the last one, and behind its data descriptor
  bool usable = false;       ///< the member is, and its data lie where the directory says
  ZipProblems problems;      ///< contradictions between local header and directory
};

/// Reads and checks one local header: needed before a member's bytes are read.
Result<ZipMemberData> find_member_data(const File&, const ZipDirectory&, std::size_t member);

/// Checks all local headers, and looks for bytes between them that no member claims: one small read each.
Result<ZipProblems> check_local_headers(const File&, const ZipDirectory&);

}  // namespace cudald

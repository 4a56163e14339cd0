#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// Everything that can be wrong with a zip archive.
enum class ZipProblemKind {
  // The archive as a whole.
  not_a_zip,            ///< neither an end record nor a local header at the front
  truncated,            ///< begins like an archive, and has no end record
  several_end_records,  ///< two readers can find different ends, hence different directories
  comment_size,         ///< the archive's comment is cut short
  trailing_data,        ///< bytes behind the end record and its comment
  prefix_data,          ///< bytes in front of the first member
  several_volumes,      ///< disk numbers other than 0
  zip64_end,            ///< the zip64 end record is absent, of odd length, or contradicts the ordinary one
  directory_place,      ///< the directory does not lie where the end record says
  several_directories,  ///< one where the end record says, and one next to it
  directory_size,       ///< its size does not fit its records or the file
  directory_count,      ///< it has more or fewer records than stated
  directory_record,     ///< one of its records is broken: the members behind it are unknown
  too_many_members,     ///< or too much directory, see the limits of zip_directory.h
  unclaimed_bytes,      ///< bytes between two members that belong to none
  bomb,                 ///< inflates beyond all proportion
  over_total,           ///< its members together are larger than InflateLimits::total

  // One record of the directory.
  version_needed,      ///< a later version of the format than there is
  extra_field,         ///< extra fields that run over their end, or twice the same
  zip64_extra,         ///< a zip64 extra field that is absent, of the wrong length, or not asked for
  unicode_path,        ///< an Info-ZIP Unicode Path extra field gives another name
  outside,             ///< the member does not lie inside the archive
  overlap,             ///< it runs into the next member or the directory
  stored_size,         ///< stored, and yet of two different sizes
  impossible_ratio,    ///< deflate cannot reach this ratio
  too_large,           ///< larger than InflateLimits::member
  over_ratio,          ///< inflates to more than InflateLimits::ratio times its bytes
  unsupported_method,  ///< neither stored nor deflated
  encrypted,
  symlink,
  special_file,      ///< a device, FIFO or socket by its mode
  folder_with_data,  ///< a name that ends with a slash, and bytes

  // Its name.
  name_empty,
  name_control,   ///< NUL or another control character
  name_absolute,  ///< begins with a slash or backslash
  name_drive,     ///< begins with a drive letter and a colon
  name_parent,    ///< has a `..`
  name_backslash,
  name_encoding,   ///< not UTF-8 though marked so, or not ASCII and not marked
  name_too_long,   ///< no file system takes it
  duplicate_name,  ///< the same, possibly only without `.` and empty parts
  duplicate_ignoring_case,
  file_and_folder,  ///< a file by its own name, and the folder of another member

  // Its local header, against the directory.
  local_header,  ///< there is none
  local_name,
  local_method,
  local_sizes,  ///< sizes or checksum
  local_flags,
  local_extra,      ///< extra fields or zip64 sizes of the local header
  data_descriptor,  ///< contradicts the directory

  // Its bytes, where they were read.
  damaged,  ///< they do not inflate to the size and checksum of the directory
};

constexpr std::size_t zip_problem_kinds = static_cast<std::size_t>(ZipProblemKind::damaged) + 1;

/// "duplicate-name", for machines to read.
std::string_view to_string(ZipProblemKind);

/// What follows from a problem.
enum class ZipRisk {
  malformed,      ///< the archive contradicts the format: readers refuse it, or the member
  unsafe,         ///< an extractor that trusts the archive is led astray
  disagreement,   ///< two readers of the archive can see different files
  beyond_limits,  ///< cudald does not look further
};

ZipRisk risk_of(ZipProblemKind);

struct ZipProblem {
  ZipProblemKind kind{};
  std::optional<std::size_t> member;  ///< index into ZipDirectory::members()
  std::uint64_t offset = 0;           ///< in the archive, of the record that is wrong
  std::string message;                ///< "has an absolute name": it, the archive or member, does; names are raw bytes
  bool fatal{};                       ///< the members are not, or not all, known
};

/// Problems in the order they were met. A hostile archive has a million of a kind: all are counted, and the first
/// of each kind are kept.
class ZipProblems {
 public:
  static constexpr std::size_t most_kept_of_a_kind = 16;

  void add(ZipProblem);
  void add(const ZipProblems&);
  const std::vector<ZipProblem>& kept() const { return kept_; }
  std::size_t count(ZipProblemKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  bool any_fatal() const { return fatal_; }
  bool empty() const { return kept_.empty(); }

 private:
  std::vector<ZipProblem> kept_;
  std::array<std::size_t, zip_problem_kinds> counts_{};
  bool fatal_ = false;
};

}  // namespace cudald

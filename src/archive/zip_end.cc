#include "archive/zip_end.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "archive/zip_bytes.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_comment_bytes = 0xffff;
constexpr std::string_view end_mark = "PK\5\6";

/// What the ordinary and the zip64 end record have in common.
struct EndRecord {
  std::uint64_t disk = 0, directory_disk = 0, count_here = 0, count = 0, size = 0, offset = 0;
};

class EndFinder {
 public:
  EndFinder(const File& file, ZipProblems& problems)
      : file_(file), problems_(problems), file_size_(file.status().size) {}

  Result<std::optional<ZipEnd>> find() {
    // Besides the longest comment, room for the zip64 records in front of the end record.
    const auto wanted = zip_end_bytes + most_comment_bytes + zip64_locator_bytes + zip64_end_bytes;
    tail_start_ = file_size_ - std::min(file_size_, wanted);
    if (auto error = read_range(file_, tail_start_, file_size_ - tail_start_, tail_)) return *error;

    const auto end = end_record();
    if (!end) return no_end_record();
    end_offset_ = *end;
    check_comment();
    const auto record = stated_values();
    check_volumes(record);
    return directory(record);
  }

 private:
  ByteReader tail() const { return {tail_, ByteOrder::little}; }

  template <std::unsigned_integral T>
  T at(std::uint64_t file_offset) const {
    return tail().unchecked<T>(file_offset - tail_start_);
  }

  bool is_at(std::uint32_t signature, std::uint64_t file_offset, std::uint64_t length) const {
    return file_offset >= tail_start_ && tail().holds(file_offset - tail_start_, length) &&
           at<std::uint32_t>(file_offset) == signature;
  }

  void add(ZipProblemKind kind, std::uint64_t offset, std::string message, bool fatal = false) {
    problems_.add({kind, std::nullopt, offset, std::move(message), fatal});
  }

  std::uint64_t comment_end(std::uint64_t end_offset) const {
    return end_offset + zip_end_bytes + at<std::uint16_t>(end_offset + 20);
  }

  // CPython Lib/zipfile.py, _EndRecData: the very end of the file if a record without a comment is there, else the
  // last signature.
  std::optional<std::uint64_t> end_record() const {
    if (file_size_ < zip_end_bytes) return std::nullopt;
    const auto last = file_size_ - zip_end_bytes;
    if (is_at(zip_end_signature, last, zip_end_bytes) && comment_end(last) == file_size_) return last;
    for (auto offset = last; offset + most_comment_bytes >= last; --offset) {
      if (is_at(zip_end_signature, offset, zip_end_bytes)) return offset;
      if (offset == tail_start_) break;
    }
    return std::nullopt;
  }

  Result<std::optional<ZipEnd>> no_end_record() {
    std::vector<std::byte> front;
    if (auto error = read_range(file_, 0, std::min<std::uint64_t>(file_size_, 4), front)) return *error;
    if (ByteReader(front, ByteOrder::little).number<std::uint32_t>(0) == zip_local_signature)
      add(ZipProblemKind::truncated, file_size_,
          fmt::format("begins like a zip archive, and has no end record in its last {} bytes: it is cut short",
                      file_size_ - tail_start_),
          true);
    else
      add(ZipProblemKind::not_a_zip, 0, "is not a zip archive", true);
    return std::optional<ZipEnd>();
  }

  void check_comment() {
    const auto end = comment_end(end_offset_);
    if (end < file_size_)
      add(ZipProblemKind::trailing_data, end, fmt::format("has {} bytes behind its end", file_size_ - end));
    if (end > file_size_)
      add(ZipProblemKind::comment_size, end_offset_,
          fmt::format("has a comment that claims to be {} bytes longer than the file", end - file_size_));

    // Some readers take the last signature, others one whose comment ends where the file does.
    const auto text = as_text(tail_);
    for (auto found = text.find(end_mark); found != text.npos; found = text.find(end_mark, found + 1)) {
      const auto offset = tail_start_ + found;
      const bool reaches_end = is_at(zip_end_signature, offset, zip_end_bytes) && comment_end(offset) == file_size_;
      if (offset > end_offset_ || (offset < end_offset_ && reaches_end)) {
        add(ZipProblemKind::several_end_records, offset,
            fmt::format("has end records at {} and {}, one in the comment of the other: readers differ in which "
                        "they take",
                        std::min(offset, end_offset_), std::max(offset, end_offset_)));
        return;
      }
    }
  }

  EndRecord stated_values() {
    EndRecord record;
    record.disk = at<std::uint16_t>(end_offset_ + 4);
    record.directory_disk = at<std::uint16_t>(end_offset_ + 6);
    record.count_here = at<std::uint16_t>(end_offset_ + 8);
    record.count = at<std::uint16_t>(end_offset_ + 10);
    record.size = at<std::uint32_t>(end_offset_ + 12);
    record.offset = at<std::uint32_t>(end_offset_ + 16);
    directory_end_ = end_offset_;

    if (end_offset_ < zip64_locator_bytes) return record;
    locator_ = end_offset_ - zip64_locator_bytes;
    if (!is_at(zip64_locator_signature, *locator_, zip64_locator_bytes)) {
      locator_.reset();
      return record;
    }
    if (*locator_ < zip64_end_bytes || !is_at(zip64_end_signature, *locator_ - zip64_end_bytes, zip64_end_bytes)) {
      add(ZipProblemKind::zip64_end, *locator_, "has a zip64 locator, and no zip64 end record in front of it");
      return record;
    }
    return zip64_values(record, *locator_ - zip64_end_bytes);
  }

  EndRecord zip64_values(const EndRecord& narrow, std::uint64_t at_offset) {
    EndRecord record;
    record.disk = at<std::uint32_t>(at_offset + 16);
    record.directory_disk = at<std::uint32_t>(at_offset + 20);
    record.count_here = at<std::uint64_t>(at_offset + 24);
    record.count = at<std::uint64_t>(at_offset + 32);
    record.size = at<std::uint64_t>(at_offset + 40);
    record.offset = at<std::uint64_t>(at_offset + 48);
    directory_end_ = at_offset;

    constexpr std::uint64_t bytes_in_front = 12;  // signature and the length itself are not counted
    const auto length = at<std::uint64_t>(at_offset + 4);
    if (length != zip64_end_bytes - bytes_in_front)
      add(ZipProblemKind::zip64_end, at_offset,
          fmt::format("has a zip64 end record that claims to be {} bytes long instead of {}", length,
                      zip64_end_bytes - bytes_in_front));

    const auto contradicts = [](std::uint64_t small, std::uint64_t sentinel, std::uint64_t big) {
      return small != sentinel && small != big;
    };
    if (contradicts(narrow.count, zip64_instead_16, record.count) ||
        contradicts(narrow.size, zip64_instead_32, record.size) ||
        contradicts(narrow.offset, zip64_instead_32, record.offset))
      add(ZipProblemKind::zip64_end, at_offset,
          "has an end record and a zip64 end record that describe different directories");
    return record;
  }

  void check_volumes(const EndRecord& record) {
    const bool locator_of_many =
        locator_ && (at<std::uint32_t>(*locator_ + 4) != 0 || at<std::uint32_t>(*locator_ + 16) > 1);
    if (record.disk != 0 || record.directory_disk != 0 || locator_of_many)
      add(ZipProblemKind::several_volumes, end_offset_, "claims to be one of several volumes");
    else if (record.count_here != record.count)
      add(ZipProblemKind::several_volumes, end_offset_,
          fmt::format("has {} members in this volume and {} in all, by its end record", record.count_here,
                      record.count));
  }

  Result<std::optional<ZipEnd>> directory(const EndRecord& record) {
    const std::optional<ZipEnd> none;
    if (record.size > directory_end_) {
      add(ZipProblemKind::directory_size, end_offset_,
          fmt::format("has a directory of {} bytes by its end record, and only {} bytes in front of that", record.size,
                      directory_end_),
          true);
      return none;
    }
    const auto start = directory_end_ - record.size;
    const auto is_here = is_directory(start);
    if (!is_here) return is_here.error();
    const auto is_where_stated = is_directory(record.offset);
    if (!is_where_stated) return is_where_stated.error();

    if (record.size > 0 && !*is_here) {
      if (*is_where_stated)
        add(ZipProblemKind::directory_size, end_offset_,
            fmt::format("has a directory at {} of {} bytes by its end record, which does not reach its end at {}",
                        record.offset, record.size, directory_end_),
            true);
      else
        add(ZipProblemKind::directory_place, end_offset_,
            fmt::format("has its directory at {} by its end record, and it is not there", record.offset), true);
      return none;
    }
    if (record.offset > start) {
      add(ZipProblemKind::directory_place, end_offset_,
          fmt::format("has its directory at {} by its end record, and really at {}", record.offset, start), true);
      return none;
    }
    const auto prefix = start - record.offset;
    if (prefix > 0 && *is_where_stated)
      add(ZipProblemKind::several_directories, record.offset,
          fmt::format("has one directory at {}, where the end record says, and another one at {}, in front of the "
                      "end record: readers differ in which they take",
                      record.offset, start));
    if (locator_ && directory_end_ != end_offset_ && at<std::uint64_t>(*locator_ + 8) != directory_end_ - prefix)
      add(ZipProblemKind::zip64_end, *locator_,
          fmt::format("has a zip64 locator that leads to {}, and the zip64 end record at {}",
                      at<std::uint64_t>(*locator_ + 8), directory_end_ - prefix));
    return std::optional(ZipEnd{start, record.size, record.count, prefix});
  }

  Result<bool> is_directory(std::uint64_t offset) const {
    if (offset > file_size_ || file_size_ - offset < zip_central_bytes) return false;
    std::vector<std::byte> bytes;
    if (auto error = read_range(file_, offset, sizeof(std::uint32_t), bytes)) return *error;
    return ByteReader(bytes, ByteOrder::little).unchecked<std::uint32_t>(0) == zip_central_signature;
  }

  const File& file_;
  ZipProblems& problems_;
  std::uint64_t file_size_;
  std::vector<std::byte> tail_;
  std::uint64_t tail_start_ = 0;
  std::uint64_t end_offset_ = 0;
  std::uint64_t directory_end_ = 0;  // the end record, or the zip64 one in front of it
  std::optional<std::uint64_t> locator_;
};

}  // namespace

Result<std::optional<ZipEnd>> find_zip_end(const File& file, ZipProblems& problems) {
  return EndFinder(file, problems).find();
}

}  // namespace cudald

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "scan/files.h"
#include "scan/record.h"

namespace cudald {

// Where records are kept: folders of parts. A worker adds each record to an open part at once,
// `part-0001@HOST@PID@1.ndjson`; when that has grown, or the work is done, its records are written once more, by target
// and compressed, to `part-0001@HOST@PID@1-CRC32.ndjson.zst`, beside and renamed. Whatever is killed in between leaves
// whole records in one of them or in both.

/// A part as its name tells of it.
struct PartFile {
  std::string path;
  bool sealed{};
  std::uint32_t crc32{};  ///< of the records in a sealed part
};

/// The parts in a folder, by name.
std::vector<PartFile> parts_in(const std::string& folder);
/// The folders of parts in a state folder, by name.
std::vector<std::string> part_folders(const std::string& state);

/// Writes the records of one worker.
class PartWriter {
 public:
  explicit PartWriter(std::string folder, std::size_t most_bytes = std::size_t{32} << 20)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// Keeps a record: when this returns, a killed process no longer loses it.
  std::optional<Error> add(const ScanRecord&);
  /// Seals what is open.
  std::optional<Error> finish();

 private:
  std::optional<Error> open();

  std::string folder_;
  std::size_t most_bytes_;
  std::string path_;  ///< of the open part; empty: there is none
  std::optional<Appender> file_;
  std::vector<std::string> lines_;
  std::size_t bytes_ = 0;
};

/// Reads the lines of a part, those of a sealed one by target.
class PartReader {
 public:
  /// Error if it cannot be opened.
  static Result<PartReader> open(const PartFile&);

  /// The next line, with its end; an empty one at the end of the part. Of an open part, what was cut off at its end is
  /// left out. Error{malformed} at the end of a sealed part that is not what was written.
  Result<std::string> next();

 private:
  explicit PartReader(PartFile part) : part_(std::move(part)) {}

  Result<bool> fill();

  PartFile part_;
  std::shared_ptr<const File> file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  std::uint32_t crc32_ = 0;
  bool ended_ = false;
};

}  // namespace cudald

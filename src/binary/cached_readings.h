#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/file_system.h>

#include "base/pack.h"
#include "base/refusals.h"
#include "cache/cached_records.h"

namespace cudald {

/// A file that notes whether a read of it fails.
class NotedFile final : public File {
 public:
  explicit NotedFile(const File& file) : file_(file) {}

  const FileStatus& status() const override { return file_.status(); }
  bool is_stream() const override { return file_.is_stream(); }
  bool is_at_hand() const override { return file_.is_at_hand(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    auto got = file_.read(offset, into);
    if (!got) has_failed_ = true;
    return got;
  }
  bool has_failed() const { return has_failed_; }

 private:
  const File& file_;
  mutable bool has_failed_ = false;
};

/// What was read of large files of this machine's disk, kept from run to run. A file is the same as long as it has not
/// been changed. May be asked by several threads.
class KeptReadings {
 public:
  /// As KeptRecords. Of files smaller than `smallest` nothing is kept: they are read as fast as a record.
  KeptReadings(std::string folder, std::string_view kind, std::uint64_t smallest = std::uint64_t{4} << 20)
      : records_(std::move(folder), kind), smallest_(smallest) {}

  /// What `reader` makes of a file, which is asked if it is not there. It can be packed. `question` tells those apart
  /// that are asked of one file.
  template <typename Reader>
  auto read(const File& file, const Reader& reader, std::string_view question = "") {
    using Reading = decltype(reader(file));
    const auto identity = records_ && file.status().size >= smallest_ ? file.identity() : "";
    if (identity.empty()) return reader(file);
    const auto key = identity + '\n' + std::string(question);
    if (const auto record = records_.find(key))
      if (auto known = unpacked<Reading>(*record)) return std::move(*known);
    const NotedFile noted(file);
    const Refusals refusals;
    auto reading = reader(noted);
    // Of a file that was changed meanwhile the next run may see more.
    if (!noted.has_failed() && !refusals.any() && file.identity() == identity) {
      PackWriter writer;
      writer(reading);
      records_.keep(key, writer.bytes());
    }
    return reading;
  }

  /// Whether anything was kept.
  bool has_kept() const { return records_.has_kept(); }

 private:
  template <typename Reading>
  static std::optional<Reading> unpacked(std::string_view bytes) {
    Reading reading;
    PackReader reader(bytes);
    reader(reading);
    return reader.at_end() ? std::optional(std::move(reading)) : std::nullopt;
  }

  KeptRecords records_;
  std::uint64_t smallest_;
};

}  // namespace cudald

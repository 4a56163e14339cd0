#pragma once

#include <cstddef>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "scan/files.h"
#include "scan/parts.h"
#include "scan/record.h"

namespace cudald {

/// The records of one part, by target: a sealed part as it is read, an open one, which is small, in memory.
class SortedPart {
 public:
  static Result<SortedPart> open(const PartFile&);

  bool at_end() const { return line_.empty(); }
  const std::string& line() const { return line_; }
  const RecordHead& head() const { return head_; }
  std::optional<Error> advance();

 private:
  explicit SortedPart(PartReader reader) : reader_(std::move(reader)) {}

  std::optional<Error> sort();
  Result<std::string> next_line();

  PartReader reader_;
  std::vector<std::string> lines_;  ///< of an open part, the last one next
  bool sorted_ = false;
  std::string line_;
  RecordHead head_;
};

/// The records of several parts, by target.
class SortedRecords {
 public:
  static Result<SortedRecords> open(const std::vector<PartFile>&);

  bool at_end() const { return queue_.empty(); }
  const std::string& target() const { return queue_.top().first; }
  const std::string& line() const { return parts_[queue_.top().second].line(); }
  const RecordHead& head() const { return parts_[queue_.top().second].head(); }
  std::optional<Error> pop();

 private:
  explicit SortedRecords(std::vector<SortedPart>);

  using Entry = std::pair<std::string, std::size_t>;
  std::vector<SortedPart> parts_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Parts, and the files of this process that some of them lie in.
struct FewerParts {
  std::vector<PartFile> parts;
  std::vector<NamelessFile> files;
};

/// At most `most` parts with the same records: where there are more, some of them made one in `folder`, as often as
/// that takes. Which part a damaged record came from is told of all that are read here.
Result<FewerParts> fewer_parts(std::vector<PartFile>, const std::string& folder, std::size_t most);

}  // namespace cudald

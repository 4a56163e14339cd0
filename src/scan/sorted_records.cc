#include "scan/sorted_records.h"

#include <algorithm>
#include <fstream>
#include <ostream>

#include <fmt/format.h>

#include "archive/compressing_stream.h"
#include "base/crc32.h"
#include "scan/files.h"

namespace cudald {
namespace {

Error not_written(const std::string& path) { return {ErrorCode::usage, "it cannot be written", path}; }

/// Makes one part of several.
Result<PartFile> one_part(const std::vector<PartFile>& parts, const std::string& path) {
  auto records = SortedRecords::open(parts);
  if (!records) return records.error();
  std::ofstream file(path, std::ios::binary);
  CompressingBuffer buffer(Compression::zstd, file);
  std::ostream stream(&buffer);
  PartFile part{path, true, 0};
  while (!records->at_end()) {
    const auto& line = records->line();
    stream << line;
    part.crc32 = crc32_after(part.crc32, line);
    if (auto fault = records->pop()) return std::move(*fault);
  }
  if (auto fault = buffer.finish()) return std::move(*fault);
  if (!file.flush()) return not_written(path);
  return part;
}

}  // namespace

Result<SortedPart> SortedPart::open(const PartFile& part) {
  auto reader = PartReader::open(part);
  if (!reader) return reader.error();
  SortedPart sorted(std::move(*reader));
  if (!part.sealed)
    if (auto fault = sorted.sort()) return std::move(*fault);
  if (auto fault = sorted.advance()) return std::move(*fault);
  return sorted;
}

std::optional<Error> SortedPart::sort() {
  std::vector<std::pair<std::string, std::string>> records;
  for (;;) {
    auto line = reader_.next();
    if (!line) return line.error();
    if (line->empty()) break;
    if (const auto head = head_of(*line)) records.emplace_back(head->item.target, std::move(*line));
  }
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [target, line] : records) lines_.push_back(std::move(line));
  sorted_ = true;
  return std::nullopt;
}

Result<std::string> SortedPart::next_line() {
  if (!sorted_) return reader_.next();
  if (lines_.empty()) return std::string();
  auto line = std::move(lines_.back());
  lines_.pop_back();
  return line;
}

std::optional<Error> SortedPart::advance() {
  for (;;) {
    auto line = next_line();
    if (!line) return line.error();
    line_ = std::move(*line);
    if (line_.empty()) return std::nullopt;
    if (auto head = head_of(line_)) {
      head_ = std::move(*head);
      return std::nullopt;
    }
  }
}

SortedRecords::SortedRecords(std::vector<SortedPart> parts) : parts_(std::move(parts)) {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (!parts_[i].at_end()) queue_.push({parts_[i].head().item.target, i});
}

Result<SortedRecords> SortedRecords::open(const std::vector<PartFile>& parts) {
  std::vector<SortedPart> sorted;
  for (const auto& part : parts) {
    auto one = SortedPart::open(part);
    if (!one) return one.error();
    sorted.push_back(std::move(*one));
  }
  return SortedRecords(std::move(sorted));
}

std::optional<Error> SortedRecords::pop() {
  const auto index = queue_.top().second;
  queue_.pop();
  if (auto fault = parts_[index].advance()) return fault;
  if (!parts_[index].at_end()) queue_.push({parts_[index].head().item.target, index});
  return std::nullopt;
}

Result<FewerParts> fewer_parts(std::vector<PartFile> parts, const std::string& folder, std::size_t most) {
  if (parts.size() <= most) return FewerParts{std::move(parts), {}};
  // Each group to its end before the next, so that few files are open whatever the number of parts.
  const auto in_group = (parts.size() + most - 1) / most;
  FewerParts fewer;
  for (std::size_t at = 0; at < parts.size(); at += in_group) {
    const auto first = parts.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = std::min(in_group, parts.size() - at);
    const auto group = fewer_parts({first, first + static_cast<std::ptrdiff_t>(count)}, folder, most);
    if (!group) return group.error();
    auto file = NamelessFile::create(folder);
    if (!file) return file.error();
    auto part = one_part(group->parts, file->path());
    if (!part) return part.error();
    fewer.parts.push_back(std::move(*part));
    fewer.files.push_back(std::move(*file));
  }
  return fewer;
}

}  // namespace cudald

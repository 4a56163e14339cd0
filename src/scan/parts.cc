#include "scan/parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "archive/compressing_stream.h"
#include "archive/decompressed_file.h"
#include "base/crc32.h"
#include "base/json.h"
#include "base/path.h"
#include "os/own_file.h"

namespace cudald {
namespace {

constexpr std::string_view open_ending = ".ndjson", sealed_ending = ".ndjson.zst";

std::optional<PartFile> part_of(const std::string& folder, const std::string& name) {
  if (!name.starts_with("part-")) return std::nullopt;
  const auto path = folder + "/" + name;
  if (name.ends_with(open_ending)) return PartFile{path, false, 0};
  if (!name.ends_with(sealed_ending)) return std::nullopt;
  const std::string_view stem(name.data(), name.size() - sealed_ending.size());
  const auto dash = stem.rfind('-');
  PartFile part{path, true, 0};
  const auto* const end = stem.data() + stem.size();
  const auto read = std::from_chars(stem.data() + dash + 1, end, part.crc32, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(part) : std::nullopt;
}

std::string target_of(const std::string& line) {
  const auto head = head_of(line);
  return head ? head->item.target : std::string();
}

/// The lines by target.
std::string in_order(const std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, const std::string*>> order;
  for (const auto& line : lines) order.emplace_back(target_of(line), &line);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [target, line] : order) text += *line;
  return text;
}

}  // namespace

std::vector<PartFile> parts_in(const std::string& folder) {
  std::vector<PartFile> parts;
  for (const auto& name : names_in(folder))
    if (auto part = part_of(folder, name)) parts.push_back(std::move(*part));
  return parts;
}

std::vector<std::string> part_folders(const std::string& state) {
  std::vector<std::string> folders;
  for (const auto& name : names_in(state))
    if (name.starts_with("shard-") || name.starts_with("worker-")) folders.push_back(state + "/" + name);
  return folders;
}

std::optional<Error> PartWriter::open() {
  if (auto fault = make_folders(folder_)) return fault;
  // The name is nobody else's: who works at the same shard by mistake does not write into it.
  for (std::size_t number = parts_in(folder_).size() + 1;; ++number) {
    auto path = fmt::format("{}/part-{:04}@{}", folder_, number, own_name());
    auto file = Appender::create(path + std::string(open_ending));
    if (!file && file.error().system_error == EEXIST) continue;
    if (!file) return file.error();
    path_ = std::move(path);
    file_ = std::move(*file);
    return std::nullopt;
  }
}

std::optional<Error> PartWriter::add(const ScanRecord& record) {
  if (!file_)
    if (auto fault = open()) return fault;
  auto line = line_of(record);
  if (auto fault = file_->append(line)) return fault;
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  return bytes_ >= most_bytes_ ? finish() : std::nullopt;
}

std::optional<Error> PartWriter::finish() {
  if (!file_) return std::nullopt;
  const auto text = in_order(lines_);
  const auto packed = compressed(text, Compression::zstd);
  if (!packed) return packed.error();
  const auto sealed = fmt::format("{}-{:08x}{}", path_, crc32_after(0, text), sealed_ending);
  if (auto fault = write_whole(sealed, *packed)) return fault;
  remove_file(path_ + std::string(open_ending));
  file_.reset();
  lines_.clear();
  bytes_ = 0;
  return std::nullopt;
}

Result<PartReader> PartReader::open(const PartFile& part) {
  PartReader reader(part);
  const auto disk = make_disk_file_system();
  auto file = disk->open(part.path);
  if (!file) return file.error();
  reader.file_ = std::move(*file);
  if (part.sealed)
    if (auto fault = missing_archive_library()) return std::move(*fault);
  if (part.sealed) reader.file_ = make_decompressed_file(reader.file_, Compression::zstd, part.path);
  return reader;
}

Result<bool> PartReader::fill() {
  constexpr std::size_t at_once = std::size_t{1} << 18;
  buffer_.erase(0, at_);
  at_ = 0;
  const auto before = buffer_.size();
  buffer_.resize(before + at_once);
  const auto got = file_->read(offset_, std::as_writable_bytes(std::span(buffer_).subspan(before)));
  buffer_.resize(before + (got ? *got : 0));
  if (!got) return got.error();
  offset_ += *got;
  crc32_ = crc32_after(crc32_, std::string_view(buffer_).substr(before));
  return *got != 0;
}

Result<std::string> PartReader::next() {
  const auto fault = [this] { return Error{ErrorCode::malformed, "it is damaged", part_.path}; };
  for (std::size_t searched = at_; !ended_;) {
    if (const auto end = buffer_.find('\n', searched); end != std::string::npos) {
      auto line = buffer_.substr(at_, end + 1 - at_);
      at_ = end + 1;
      // What a machine that went down left at the end of an open part may be anything.
      if (part_.sealed || parse_json(line).is_object()) return line;
      searched = at_;
      continue;
    }
    searched = buffer_.size() - at_;
    const auto more = fill();
    if (!more && part_.sealed) return fault();
    if (!more) return more.error();
    ended_ = !*more;
  }
  if (part_.sealed && (crc32_ != part_.crc32 || at_ != buffer_.size() || file_->verify())) return fault();
  return std::string();
}

}  // namespace cudald

#include "archive/sieved_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/path.h"

namespace cudald {
namespace {

constexpr std::uint64_t small_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t most_whole_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t most_head_bytes = std::uint64_t{24} << 20;
constexpr std::uint64_t most_draft_bytes = std::uint64_t{48} << 20;
constexpr std::uint64_t read_ahead = std::uint64_t{1} << 20;
constexpr std::size_t reserved_for_elf = std::size_t{40} << 20;
constexpr std::uint64_t negligible_gap = 4096;

/// Files that are read from end to end: by the loader's rules, by conda's.
bool is_read_whole(std::string_view path) {
  const auto name = file_name(path);
  return path.starts_with("info/") || name.starts_with("ld-") || name.starts_with("ld.so") ||
         name.starts_with("libc.so") || name.starts_with("libc-2");
}

template <typename Chunks>
std::span<const std::byte> covered(const Chunks& chunks, std::uint64_t offset, std::uint64_t length) {
  auto next = chunks.upper_bound(offset);
  if (next == chunks.begin()) return {};
  const auto& [start, bytes] = *std::prev(next);
  const auto skip = offset - start;
  if (skip > bytes.size()) return {};
  return std::span(bytes).subspan(skip, std::min<std::uint64_t>(length, bytes.size() - skip));
}

}  // namespace

/// The bytes of one member that are at hand, as a file that notes what its readers ask.
class SievedFile::Draft final : public File {
 public:
  explicit Draft(std::uint64_t size) { status_.kind = FileKind::regular, status_.size = size; }

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= status_.size || into.empty()) return std::size_t{0};
    const auto length = std::min<std::uint64_t>(into.size(), status_.size - offset);
    const auto bytes = covered(chunks, offset, length);
    if (bytes.size() < length) {
      missed.push_back({offset + bytes.size(), length - bytes.size()});
      if (!bytes.empty()) touched.push_back({offset, bytes.size()});
      return Error{ErrorCode::unreadable, "not available locally"};
    }
    touched.push_back({offset, length});
    std::memcpy(into.data(), bytes.data(), length);
    return static_cast<std::size_t>(length);
  }

  /// Takes bytes of the archive; false if there are too many already or they cannot be read.
  bool fetch(const File& archive, std::uint64_t member, Range range) {
    // Onto the end of what is there, if it lies there: a read must find its bytes in one piece.
    auto place = chunks.upper_bound(range.offset);
    if (place != chunks.begin()) --place;
    const bool goes_on = place != chunks.end() && place->first + place->second.size() == range.offset;
    range.length =
        std::min({range.length, status_.size - range.offset, most_draft_bytes - std::min(bytes_, most_draft_bytes)});
    if (range.length == 0) return false;
    auto& bytes = goes_on ? place->second : chunks[range.offset];
    const auto before = bytes.size();
    bytes.resize(before + range.length);
    const auto got = archive.read(member + range.offset, std::span(bytes).subspan(before));
    bytes.resize(before + (got ? *got : 0));
    bytes_ += bytes.size() - before;
    merge_followers(goes_on ? place : chunks.find(range.offset));
    return got && *got == range.length;
  }

  Chunks chunks;  ///< by offset in the member
  mutable std::vector<Range> touched, missed;

 private:
  /// Chunks that this one reaches become part of it.
  void merge_followers(Chunks::iterator chunk) {
    auto& bytes = chunk->second;
    for (auto next = std::next(chunk); next != chunks.end() && next->first <= chunk->first + bytes.size();) {
      const auto known = std::min<std::uint64_t>(chunk->first + bytes.size() - next->first, next->second.size());
      bytes.insert(bytes.end(), next->second.begin() + static_cast<std::ptrdiff_t>(known), next->second.end());
      next = chunks.erase(next);
    }
  }

  FileStatus status_;
  std::uint64_t bytes_ = 0;
};

SievedFile::SievedFile(std::shared_ptr<const File> archive, Rehearsal rehearse, std::shared_ptr<SieveBudget> budget)
    : archive_(std::move(archive)), rehearse_(std::move(rehearse)), budget_(std::move(budget)) {}

void SievedFile::sift(std::string_view name, std::uint64_t offset, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  const Range member{offset, size};
  Draft draft(size);
  const bool whole = size <= small_bytes || (is_read_whole(name) && size <= most_whole_bytes);
  if (!draft.fetch(*archive_, offset, {0, whole ? size : small_bytes})) return;
  const auto& start = draft.chunks.begin()->second;
  const bool is_elf = start.size() >= 4 && std::memcmp(start.data(),
                                                       "\x7f"
                                                       "ELF",
                                                       4) == 0;
  if (is_read_whole(name) && whole) return keep(draft, member, {{0, size}});
  if (!is_elf) {
    if (whole && budget_->left > reserved_for_elf) keep(draft, member, {{0, size}});
    return;
  }
  const auto head = std::min(size, most_head_bytes);
  if (head > small_bytes) draft.fetch(*archive_, offset, {small_bytes, head - small_bytes});
  finish(draft, member, head, false);
}

void SievedFile::finish(Draft& draft, const Range& member, std::uint64_t position, bool last_chance) const {
  for (auto ahead = read_ahead;; ahead *= 2) {
    draft.touched.clear();
    draft.missed.clear();
    rehearse_(draft);
    const Range* next = nullptr;
    for (const auto& range : draft.missed)
      if (range.offset >= position && (next == nullptr || range.offset < next->offset)) next = &range;
    if (next == nullptr) break;
    const Range range{next->offset, std::max(next->length, ahead)};
    const bool fetched = draft.fetch(*archive_, member.offset, range);
    position = range.offset + range.length;
    if (!fetched) {
      rehearse_(draft);
      break;
    }
  }
  keep(draft, member, std::move(draft.touched));
  if (!draft.missed.empty() && !last_chance) missed_.push_back(member);
}

void SievedFile::keep(const Draft& draft, const Range& member, std::vector<Range> touched) const {
  std::sort(touched.begin(), touched.end(), [](const Range& a, const Range& b) { return a.offset < b.offset; });
  std::vector<Range> merged;
  for (const auto& range : touched) {
    const auto end = range.offset + range.length;
    if (!merged.empty()) {
      auto& last = merged.back();
      const bool same_chunk = covered(draft.chunks, last.offset, end - last.offset).size() == end - last.offset;
      if (range.offset <= last.offset + last.length + negligible_gap &&
          (end <= last.offset + last.length || same_chunk)) {
        last.length = std::max(last.length, end - last.offset);
        continue;
      }
    }
    merged.push_back(range);
  }
  for (const auto& range : merged) {
    const auto bytes = covered(draft.chunks, range.offset, range.length);
    if (bytes.empty() || bytes.size() > budget_->left) continue;
    budget_->left -= bytes.size();
    kept_[member.offset + range.offset].assign(bytes.begin(), bytes.end());
  }
}

bool SievedFile::copy_kept(std::uint64_t offset, std::span<std::byte> into) const {
  const auto bytes = covered(kept_, offset, into.size());
  if (bytes.size() < into.size()) return false;
  std::memcpy(into.data(), bytes.data(), into.size());
  return true;
}

void SievedFile::fetch_missed() const {
  for (const auto& member : std::exchange(missed_, {})) {
    Draft draft(member.length);
    // What is kept of it already is taken over, and its share of the budget given back.
    for (auto chunk = kept_.lower_bound(member.offset);
         chunk != kept_.end() && chunk->first < member.offset + member.length;) {
      budget_->left += chunk->second.size();
      draft.chunks.emplace(chunk->first - member.offset, std::move(chunk->second));
      chunk = kept_.erase(chunk);
    }
    finish(draft, member, 0, true);
  }
}

Result<std::size_t> SievedFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (into.empty()) return std::size_t{0};
  const std::lock_guard lock(mutex_);
  if (copy_kept(offset, into)) return into.size();
  if (!missed_.empty()) {
    fetch_missed();
    if (copy_kept(offset, into)) return into.size();
  }
  return archive_->read(offset, into);
}

bool SievedFile::reads_anywhere(std::uint64_t offset, std::uint64_t size) const {
  if (!is_stream()) return true;
  const std::lock_guard lock(mutex_);
  return covered(kept_, offset, size).size() == size;
}

}  // namespace cudald

#include "archive/decompressed_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "archive/archive_library.h"
#include "archive/inflated_file.h"
#include "base/byte_reader.h"

namespace cudald {
namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 17;
constexpr std::uint64_t window_size = std::uint64_t{4} << 20;

struct ArchiveFree {
  decltype(&archive_read_free) free = nullptr;
  void operator()(archive* reader) const { free(reader); }
};

/// Decompresses forward through libarchive, and keeps the last bytes that went by.
class SequentialFile final : public File {
 public:
  SequentialFile(std::shared_ptr<const File> compressed, Compression compression, std::string name,
                 std::shared_ptr<StreamBudget> budget)
      : compressed_(std::move(compressed)),
        compression_(compression),
        speed_(compression == Compression::zstd ? StreamSpeed::fast : StreamSpeed::slow),
        name_(std::move(name)),
        budget_(std::move(budget)) {
    status_ = compressed_->status();
    status_.size = unknown_size;
  }

  const FileStatus& status() const override { return status_; }
  bool is_stream() const override { return true; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::lock_guard lock(mutex_);
    if (failure_) {
      if (offset >= failed_at_) return *failure_;
      into = into.first(std::min<std::uint64_t>(into.size(), failed_at_ - offset));
    }
    if (!reader_ || offset < position_ - std::min(position_, window_size))
      if (const auto error = start()) return *error;
    std::size_t done = 0;
    while (done < into.size()) {
      if (offset + done < position_) {
        done += copy(offset + done, into.subspan(done));
        continue;
      }
      if (at_end_) break;
      if (const auto error = advance()) return *error;
    }
    return done;
  }

 private:
  Error fault(ErrorCode code, std::string what) const { return {code, std::move(what), name_}; }

  std::size_t copy(std::uint64_t offset, std::span<std::byte> into) const {
    const auto at = offset % window_size;
    const auto length = std::min({into.size(), window_size - at, position_ - offset});
    std::memcpy(into.data(), window_.data() + at, length);
    return length;
  }

  static la_ssize_t supply(archive*, void* self, const void** buffer) {
    const auto& file = *static_cast<const SequentialFile*>(self);
    *buffer = file.input_.data();
    const auto got = file.compressed_->read(file.taken_, file.input_);
    if (!got) return ARCHIVE_FATAL;
    file.taken_ += *got;
    return static_cast<la_ssize_t>(*got);
  }

  std::optional<Error> start() const {
    const auto& library = ArchiveLibrary::get();
    if (!library) return fault(ErrorCode::unreadable, library.error().message);
    library_ = &*library;
    reader_ = {library_->read_new(), {library_->read_free}};
    position_ = taken_ = 0;
    at_end_ = false;
    input_.resize(chunk_size);
    window_.resize(window_size);
    auto* reader = reader_.get();
    if (compression_ == Compression::zstd) library_->read_support_filter_zstd(reader);
    if (compression_ == Compression::bzip2) library_->read_support_filter_bzip2(reader);
    if (compression_ == Compression::xz) library_->read_support_filter_xz(reader);
    library_->read_support_format_raw(reader);
    archive_entry* entry = nullptr;
    if (library_->read_open(reader, const_cast<SequentialFile*>(this), nullptr, supply, nullptr) != ARCHIVE_OK ||
        library_->read_next_header(reader, &entry) != ARCHIVE_OK)
      return damage();
    return std::nullopt;
  }

  std::optional<Error> advance() const {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const auto outcome = library_->read_data_block(reader_.get(), &block, &size, &offset);
    if (outcome == ARCHIVE_EOF) {
      at_end_ = true;
      return std::nullopt;
    }
    if (outcome != ARCHIVE_OK) return damage();
    std::span bytes(static_cast<const std::byte*>(block), size);
    while (!bytes.empty()) {
      const auto at = position_ % window_size;
      const auto length = std::min<std::uint64_t>(bytes.size(), window_size - at);
      std::memcpy(window_.data() + at, bytes.data(), length);
      position_ += length;
      bytes = bytes.subspan(length);
    }
    const auto fresh = position_ - std::min(position_, furthest_);
    furthest_ += fresh;
    auto error = check_proportion(position_, taken_, speed_, name_);
    if (!error && budget_) error = budget_->spend(size, fresh, speed_, name_);
    return error ? std::optional(failed(std::move(*error))) : std::nullopt;
  }

  /// What is behind a fault is asked for once only.
  Error failed(Error error) const {
    failure_ = error;
    failed_at_ = position_;
    return error;
  }

  Error damage() const {
    const auto* words = library_->error_string(reader_.get());
    auto error = fault(ErrorCode::malformed, fmt::format("the compressed data are damaged or cut short ({})",
                                                         words != nullptr ? words : "no reason given"));
    error.offset = taken_;
    return failed(std::move(error));
  }

  std::shared_ptr<const File> compressed_;
  Compression compression_;
  StreamSpeed speed_;
  std::string name_;
  std::shared_ptr<StreamBudget> budget_;
  FileStatus status_;

  // Reading moves the stream, but what a reader sees never changes.
  mutable std::mutex mutex_;
  mutable const ArchiveLibrary* library_ = nullptr;
  mutable std::unique_ptr<archive, ArchiveFree> reader_;
  mutable std::vector<std::byte> input_, window_;
  mutable std::uint64_t position_ = 0;  ///< bytes that came out
  mutable std::uint64_t furthest_ = 0;  ///< bytes that came out at least once
  mutable std::uint64_t taken_ = 0;     ///< compressed bytes that went in
  mutable bool at_end_ = false;
  mutable std::optional<Error> failure_;
  mutable std::uint64_t failed_at_ = 0;
};

}  // namespace

Compression compression_of(const File& file) {
  std::array<std::byte, 6> start{};
  const auto got = file.read(0, start);
  if (!got) return Compression::none;
  const std::string_view text(reinterpret_cast<const char*>(start.data()), *got);
  if (text.starts_with("\x1f\x8b")) return Compression::gzip;
  if (text.starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  if (text.starts_with("BZh")) return Compression::bzip2;
  if (text == std::string_view("\xfd"
                               "7zXZ\0",
                               6))
    return Compression::xz;
  return Compression::none;
}

std::optional<Error> missing_archive_library() {
  const auto& library = ArchiveLibrary::get();
  return library ? std::nullopt : std::optional(library.error());
}

std::shared_ptr<const File> make_decompressed_file(std::shared_ptr<const File> file, Compression compression,
                                                   std::string name, std::shared_ptr<StreamBudget> budget) {
  if (compression == Compression::none) return file;
  if (compression != Compression::gzip)
    return std::make_shared<SequentialFile>(std::move(file), compression, std::move(name), std::move(budget));
  auto status = file->status();
  status.size = unknown_size;
  DeflatedRange range{0, file->status().size, unknown_size};
  range.gzip = true;
  return make_inflated_file(std::move(file), range, status, std::move(name), std::move(budget));
}

}  // namespace cudald

#include "cache/cached_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/crc32.h"

namespace cudald {
namespace {

class PassingFile final : public File {
 public:
  explicit PassingFile(const KeptFile& file) : file_(file) {}
  const FileStatus& status() const override { return file_.status(); }
  bool is_stream() const override { return file_.is_stream(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    const auto itself = file_.itself();
    return itself ? (*itself)->read(offset, into) : Result<std::size_t>(itself.error());
  }

 private:
  const KeptFile& file_;
};

}  // namespace

std::vector<std::byte> end_of(const File& file) {
  constexpr std::uint64_t most = std::uint64_t{64} << 10;
  const auto size = file.status().size;
  std::vector<std::byte> end(std::min(size, most));
  const auto got = file.read(size - end.size(), end);
  if (!got || *got != end.size()) end.clear();
  return end;
}

KeptFile::KeptFile(std::shared_ptr<KeptArchive> archive, std::size_t part, FileStatus status, bool is_stream,
                   Opener opener)
    : archive_(std::move(archive)),
      part_(part),
      status_(status),
      is_stream_(is_stream),
      opener_(std::move(opener)),
      passing_(std::make_unique<PassingFile>(*this)) {}

Result<std::shared_ptr<const File>> KeptFile::itself() const {
  const std::lock_guard lock(mutex_);
  if (!itself_) itself_ = opener_();
  return *itself_;
}

Result<std::size_t> KeptFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= status_.size || into.empty()) return std::size_t{0};
  const auto wanted = into.first(std::min<std::uint64_t>(into.size(), status_.size - offset));
  if (archive_->copy(part_, offset, wanted)) return wanted.size();
  const auto file = itself();
  if (!file) return file.error();
  auto got = (*file)->read(offset, wanted);
  if (got && *got == wanted.size())
    archive_->add(part_, offset, wanted);
  else
    archive_->forget(part_);
  return got;
}

std::string KeptFile::identity() const {
  if (part_ != 0) return "";
  const auto end = end_of(*this);
  if (end.empty()) return "";
  return fmt::format("{} {} {}", archive_->key(), status_.size, crc32_after(0, end));
}

std::optional<Error> KeptFile::verify() const {
  if (archive_->has(part_, KeptArchive::Mark::whole)) return std::nullopt;
  const auto file = itself();
  if (!file) return file.error();
  auto error = (*file)->verify();
  if (error)
    archive_->forget(part_);
  else
    archive_->set(part_, KeptArchive::Mark::whole);
  return error;
}

std::shared_ptr<const File> KeptFile::member(std::size_t index, const FileStatus& status, bool is_stream,
                                             Opener opener) const {
  return std::make_shared<KeptFile>(archive_, index + 1, status, is_stream, std::move(opener));
}

}  // namespace cudald

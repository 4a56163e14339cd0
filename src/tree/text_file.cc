#include "tree/text_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cudald {
namespace {

class TextFile final : public File {
 public:
  TextFile(const FileStatus& status, std::string text, const MountFlags& mount)
      : status_(status), text_(std::move(text)), mount_(mount) {}

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= text_.size()) return std::size_t{0};
    const auto count = std::min<std::uint64_t>(into.size(), text_.size() - offset);
    std::memcpy(into.data(), text_.data() + offset, count);
    return static_cast<std::size_t>(count);
  }

  MountFlags mount() const override { return mount_; }

 private:
  FileStatus status_;
  std::string text_;
  MountFlags mount_;
};

}  // namespace

std::unique_ptr<File> make_text_file(const FileStatus& status, std::string text, const MountFlags& mount) {
  return std::make_unique<TextFile>(status, std::move(text), mount);
}

}  // namespace cudald

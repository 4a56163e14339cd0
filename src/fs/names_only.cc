#include "fs/names_only.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cudald {
namespace {

constexpr std::uint64_t device_of_names = 0x6e616d6573;  // no device number of a real disk

class TextFile final : public File {
 public:
  TextFile(const FileStatus& status, std::string text) : status_(status), text_(std::move(text)) {}

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset >= text_.size()) return std::size_t{0};
    const auto count = std::min<std::uint64_t>(into.size(), text_.size() - offset);
    std::memcpy(into.data(), text_.data() + offset, count);
    return static_cast<std::size_t>(count);
  }

 private:
  FileStatus status_;
  std::string text_;
};

}  // namespace

FileStatus NamesOnly::status(std::size_t) const {
  FileStatus status;
  status.kind = FileKind::regular;
  return status;
}

Result<std::shared_ptr<const File>> NamesOnly::open(std::size_t, const FileStatus& status, const std::string&) const {
  return std::shared_ptr<const File>(std::make_shared<TextFile>(status, ""));
}

bool NamesTree::add(const std::string& path, std::string text) {
  if (!tree_.add_file(path, static_cast<std::uint32_t>(texts_.size()))) return false;
  texts_.push_back(std::move(text));
  return true;
}

bool NamesTree::add_file(const std::string& path) { return add(path, ""); }

bool NamesTree::add_text(const std::string& path, std::string text) { return add(path, std::move(text)); }

FileStatus NamesTree::status_of(const PathTree::Node& node) const {
  FileStatus status;
  status.kind = node.kind == PathTree::Kind::folder ? FileKind::folder
                : node.kind == PathTree::Kind::file ? FileKind::regular
                                                    : FileKind::other;
  if (status.kind != FileKind::regular) return status;
  status.size = texts_[node.number].size();
  status.id = {device_of_names, node.number + std::uint64_t{1}};
  return status;
}

Result<FileStatus> NamesTree::status(const std::string& path) const {
  const auto place = tree_.find(path);
  if (!place) return place.error();
  return status_of(*place->node);
}

Result<std::unique_ptr<File>> NamesTree::open(const std::string& path) const {
  const auto place = tree_.find(path);
  if (!place) return place.error();
  const auto status = status_of(*place->node);
  if (status.kind == FileKind::folder) return error_of_errno(EISDIR, path);
  if (status.kind != FileKind::regular) return error_of_errno(EINVAL, path);
  return std::unique_ptr<File>(std::make_unique<TextFile>(status, texts_[place->node->number]));
}

Result<std::string> NamesTree::real_path(const std::string& path) const {
  auto place = tree_.find(path);
  if (!place) return place.error();
  return std::move(place->path);
}

Result<std::vector<std::string>> NamesTree::list(const std::string& path) const {
  const auto place = tree_.find(path);
  if (!place) return place.error();
  if (place->node->kind != PathTree::Kind::folder) return error_of_errno(ENOTDIR, path);
  return PathTree::names_in(*place->node);
}

}  // namespace cudald

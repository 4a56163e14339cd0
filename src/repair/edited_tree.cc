#include "repair/edited_tree.h"

#include "archive/member_file.h"
#include "base/path.h"

namespace cudald {

const std::vector<Piece>* EditedTree::pieces_of(const std::string& path) const {
  if (edited_.empty()) return nullptr;
  const auto real = base_.real_path(path);
  const auto found = real ? edited_.find(*real) : edited_.end();
  return found == edited_.end() ? nullptr : &found->second;
}

std::shared_ptr<const File> EditedTree::added(const std::string& path) const {
  const auto found = added_.empty() ? added_.end() : added_.find(normal_path(path));
  return found == added_.end() ? nullptr : found->second;
}

Result<std::string> EditedTree::real_path(const std::string& path) const {
  return added(path) ? normal_path(path) : base_.real_path(path);
}

Result<FileStatus> EditedTree::status(const std::string& path) const {
  if (const auto file = added(path)) return file->status();
  auto status = base_.status(path);
  const auto* pieces = status && status->kind == FileKind::regular ? pieces_of(path) : nullptr;
  if (pieces == nullptr) return status;
  status->size = 0;
  for (const auto& piece : *pieces) status->size += piece.size;
  return status;
}

Result<std::unique_ptr<File>> EditedTree::open(const std::string& path) const {
  if (auto file = added(path)) return share_file(std::move(file));
  auto file = base_.open(path);
  const auto* pieces = file ? pieces_of(path) : nullptr;
  if (pieces == nullptr) return file;
  return std::unique_ptr<File>(std::make_unique<NewFile>(std::shared_ptr<const File>(std::move(*file)), *pieces));
}

}  // namespace cudald

#include "fs/image_store.h"

namespace cudald {

const OpenedFile& ImageStore::open(const std::string& absolute_path) {
  const auto known = by_path_.find(absolute_path);
  if (known != by_path_.end()) return known->second;
  return by_path_.emplace(absolute_path, open_uncached(absolute_path)).first->second;
}

OpenedFile ImageStore::open_uncached(const std::string& path) {
  OpenedFile opened;
  const auto file = files_.open(path);
  if (!file) {
    opened.error = file.error();
    return opened;
  }
  opened.status = (*file)->status();
  auto& image = by_id_[opened.status.id];
  if (!image) {
    auto read = read_image(**file);
    if (!read) {
      opened.error = read.error();
      opened.error->path = path;
      return opened;
    }
    image = *read;
  }
  opened.image = image;
  const auto real = files_.real_path(path);
  opened.real_path = real ? *real : path;
  return opened;
}

const std::vector<std::string>& ImageStore::list(const std::string& absolute_path) {
  const auto known = lists_.find(absolute_path);
  if (known != lists_.end()) return known->second;
  auto names = files_.list(absolute_path);
  return lists_.emplace(absolute_path, names ? std::move(*names) : std::vector<std::string>()).first->second;
}

ImageStore::FolderState ImageStore::folder_state(const std::string& absolute_path) {
  const auto known = folders_.find(absolute_path);
  if (known != folders_.end()) return known->second;
  const auto status = files_.status(absolute_path);
  const auto state = !status                            ? FolderState::absent
                     : status->kind == FileKind::folder ? FolderState::folder
                                                        : FolderState::not_a_folder;
  folders_.emplace(absolute_path, state);
  return state;
}

}  // namespace cudald

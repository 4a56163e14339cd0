#include "cache/cached_tree.h"

#include <algorithm>

#include "base/sha256.h"
#include "cache/cached_file.h"

namespace cudald {
namespace {

/// The identity of a file with the checksum of its end, where an archive has its directory; empty without one.
std::string key_of(const File& file) {
  auto identity = file.identity();
  if (identity.empty()) return "";
  const auto end = end_of(file);
  if (end.empty()) return "";
  return identity + " " + sha256({reinterpret_cast<const char*>(end.data()), end.size()});
}

}  // namespace

std::string kept_path(const std::string& folder, const std::string& key) { return folder + "/" + sha256(key); }

Result<std::unique_ptr<File>> KeptTree::open(const std::string& path) const {
  auto opened = base_.open(path);
  if (!opened || folder_.empty() || !path.ends_with(".whl")) return opened;
  const std::shared_ptr<const File> file = std::move(*opened);
  const auto archive = archive_of(*file, path);
  if (!archive) return base_.open(path);
  archive->set_size(file->status().size);
  return std::unique_ptr<File>(std::make_unique<KeptFile>(
      archive, 0, file->status(), file->is_stream(), [file] { return Result<std::shared_ptr<const File>>(file); }));
}

std::shared_ptr<KeptArchive> KeptTree::archive_of(const File& file, const std::string& path) const {
  const std::lock_guard lock(mutex_);
  auto& same = opened_[file.identity()];
  if (same) return same;
  const auto key = key_of(file);
  if (key.empty()) return nullptr;
  auto& known = known_[key];
  if (!known.archive) known = {path, KeptArchive::open(kept_path(folder_, key), key)};
  return same = known.archive;
}

bool KeptTree::used() const {
  const std::lock_guard lock(mutex_);
  return !known_.empty();
}

bool KeptTree::keep() const {
  const std::lock_guard lock(mutex_);
  bool good = true;
  for (const auto& [key, known] : known_) {
    if (!known.archive->is_new()) continue;
    const auto file = base_.open(known.path);
    if (file && key_of(**file) == key) good = known.archive->save() && good;
  }
  return good;
}

}  // namespace cudald

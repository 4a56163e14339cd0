#include <cudald/file_system.h>

#include <algorithm>

#include "base/path.h"

namespace cudald {

bool FileSystem::has_name(const std::string& path) const {
  const auto names = list(std::string(parent_path(path)));
  return names && std::binary_search(names->begin(), names->end(), std::string(file_name(path)));
}

bool is_file(const FileSystem& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileKind::regular;
}

bool is_folder(const FileSystem& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->kind == FileKind::folder;
}

Result<std::string> read_file(const FileSystem& files, const std::string& path, std::uint64_t limit) {
  const auto file = files.open(path);
  if (!file) return file.error();
  return read_file(**file, path, limit);
}

Result<std::string> read_file(const File& file, const std::string& path, std::uint64_t limit) {
  const auto size = file.status().size;
  if (size > limit)
    return Error{ErrorCode::limit, "larger than the " + std::to_string(limit) + " bytes that are read of it", path};
  std::string text(size, '\0');
  const auto got = file.read(0, std::as_writable_bytes(std::span(text)));
  if (!got) return got.error();
  text.resize(*got);
  // All of it was read: of a member of an archive it is known now whether its checksum is right.
  if (auto error = file.verify()) return std::move(*error);
  return text;
}

}  // namespace cudald

#include "fs/archive.h"

#include "fs/inflated_file.h"
#include "fs/member_file.h"

namespace cudald {

FileStatus ZipArchive::status(std::size_t member) const {
  const auto& entry = directory_.members()[member];
  FileStatus status;
  status.kind = entry.symlink ? FileKind::other : FileKind::regular;
  status.size = entry.size;
  status.executable = (entry.mode & 0111) != 0;
  return status;
}

Result<std::shared_ptr<const File>> ZipArchive::open(std::size_t member, const FileStatus& status,
                                                     const std::string& shown) const {
  const auto& entry = directory_.members()[member];
  const auto data = find_member_data(*file_, directory_, member);
  if (!data) return data.error();
  if (!data->usable)
    return Error{ErrorCode::malformed, "its place in the archive cannot be trusted", shown, entry.header_offset, 0};
  if (entry.method == zip_stored) return make_stored_file(file_, data->offset, status, entry.crc32, shown);
  return std::shared_ptr<const File>(
      make_inflated_file(file_, {data->offset, entry.compressed_size, entry.size, entry.crc32}, status, shown));
}

}  // namespace cudald

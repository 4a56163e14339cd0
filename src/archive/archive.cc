#include "archive/archive.h"

#include "archive/inflated_file.h"
#include "archive/member_file.h"
#include "cache/cached_file.h"

namespace cudald {
namespace {

std::shared_ptr<const File> make_member_file(std::shared_ptr<const File> archive, const DeflatedRange& range,
                                             bool stored, const FileStatus& status, const std::string& shown,
                                             std::shared_ptr<RestartPoints> points) {
  if (stored) return make_stored_file(std::move(archive), range.offset, status, range.crc32, shown);
  return make_inflated_file(std::move(archive), range, status, shown, nullptr, std::move(points));
}

}  // namespace

FileStatus ZipArchive::status(std::size_t member) const {
  const auto& entry = directory_.members()[member];
  FileStatus status;
  status.kind = entry.symlink ? FileKind::other : FileKind::regular;
  status.size = entry.size;
  status.executable = (entry.mode & 0111) != 0;
  return status;
}

std::shared_ptr<RestartPoints> ZipArchive::restart_points(std::size_t member) const {
  const auto size = directory_.members()[member].size;
  if (size < RestartPoints::least_distance) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& known = restart_points_[member];
  auto points = known.lock();
  if (!points) known = points = std::make_shared<RestartPoints>(size);
  recent_->keep(points);
  return points;
}

Result<std::shared_ptr<const File>> ZipArchive::open(std::size_t member, const FileStatus& status,
                                                     const std::string& shown) const {
  const auto& entry = directory_.members()[member];
  const auto data = find_member_data(*file_, directory_, member);
  if (!data) return data.error();
  if (!data->usable)
    return Error{ErrorCode::malformed, "its place in the archive cannot be trusted", shown, entry.header_offset, 0};
  const bool stored = entry.method == zip_stored;
  const DeflatedRange range{data->offset, entry.compressed_size, entry.size, entry.crc32};
  auto points = stored ? nullptr : restart_points(member);
  const auto* kept = file_->kept();
  if (kept == nullptr) return make_member_file(file_, range, stored, status, shown, std::move(points));
  // What is kept are a member's bytes, and not those that they are made of.
  return kept->member(member, status, stored ? file_->is_stream() : true,
                      [=, archive = file_]() -> Result<std::shared_ptr<const File>> {
                        const auto itself = archive->kept()->itself();
                        if (!itself) return itself.error();
                        return make_member_file(*itself, range, stored, status, shown, points);
                      });
}

}  // namespace cudald

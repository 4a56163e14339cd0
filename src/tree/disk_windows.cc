// This machine's disks on Windows. The tree that is the machine itself has the drives below its root, "/C:/Users", and
// servers below "/UNC"; names have no case there, as the file system wants it. In any other tree a path means what it
// means in the tree that was copied: names have their case, and links lead to the tree's own root.
#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/path.h"
#include "base/refusals.h"
#include "os/windows_files.h"
#include "tree/disk.h"
#include "tree/system_error.h"

namespace cudald {
namespace {

constexpr std::string_view servers = "/UNC";

FileStatus status_from(const WindowsFileStatus& found) {
  FileStatus status;
  if (found.regular) status.kind = FileKind::regular;
  if (found.directory) status.kind = FileKind::folder;
  status.size = found.directory ? 0 : found.size;
  status.id = {found.volume, found.number};
  status.executable = found.regular;  // Windows keeps no such bit: any file may be executed
  status.changed = found.changed;
  return status;
}

/// The Error of what the system refuses, which is noted unless a loader takes it for an answer.
Error refused(int number, std::string_view path) {
  auto error = error_of_errno(number, path);
  if (!is_answer(number)) note_refusal(error);
  return error;
}

class DiskFile final : public File {
 public:
  DiskFile(std::unique_ptr<WindowsFile> file, FileStatus status, std::string path)
      : file_(std::move(file)), status_(status), path_(std::move(path)) {}

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size() && offset + done < status_.size) {
      const auto got = file_->read(offset + done, into.subspan(done));
      if (got < 0) {
        auto error = error_of_errno(errno, path_);
        note_refusal(error);
        return error;
      }
      if (got == 0) {
        note_refusal({ErrorCode::unreadable, "it became shorter while it was read", path_, offset + done, 0});
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  bool is_at_hand() const override { return true; }

  std::string identity() const override {
    return fmt::format("{} {} {} {}", status_.id.device, status_.id.inode, status_.size, status_.changed);
  }

 private:
  std::unique_ptr<WindowsFile> file_;
  FileStatus status_;
  std::string path_;
};

/// A directory that no disk has: the root with the drives, and that of the servers, of which only who is asked for is
/// known.
bool is_made_up(const std::string& path) {
  const auto names = split(path, "/");
  const bool below_servers = path.starts_with(servers) && names.size() > 1 && names[1] == servers.substr(1);
  return path == "/" || (below_servers && names.size() <= 3);
}

class DiskFileSystem final : public FileSystem {
 public:
  explicit DiskFileSystem(const std::string& root) : root_(normal_path(root)) {}

  Result<FileStatus> status(const std::string& path) const override {
    if (is_machine() && is_made_up(normal_path(path))) return FileStatus{.kind = FileKind::folder};
    const auto place = locate(path);
    if (!place) return place.error();
    WindowsFileStatus found;
    if (const int fault = windows_status(*place, found)) return refused(fault, path);
    return status_from(found);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    const auto status = this->status(path);
    if (!status) return status.error();
    if (status->kind == FileKind::folder) return error_of_errno(EISDIR, path);
    if (status->kind != FileKind::regular) return not_regular(path);
    const auto place = locate(path);
    if (!place) return place.error();
    auto file = std::make_unique<WindowsFile>();
    WindowsFileStatus found;
    int fault = file->open(*place);
    if (fault == 0) fault = file->status(found);
    if (fault == EINVAL) return not_regular(path);
    if (fault != 0) return refused(fault, path);
    return std::unique_ptr<File>(std::make_unique<DiskFile>(std::move(file), status_from(found), path));
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const auto status = this->status(path);
    if (!status) return status.error();
    if (status->kind != FileKind::folder) return error_of_errno(ENOTDIR, path);
    std::vector<std::string> names;
    if (is_machine() && is_made_up(normal_path(path))) {
      if (normal_path(path) == "/") names = windows_drives();
      return names;
    }
    const auto place = locate(path);
    if (!place) return place.error();
    if (const int fault = windows_names(*place, names)) return refused(fault, path);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::string> real_path(const std::string& path) const override {
    if (is_machine() && is_made_up(normal_path(path))) return normal_path(path);
    if (!is_machine()) {
      auto inside = resolve(path);
      if (!inside) return inside.error();
      WindowsFileStatus found;
      if (const int fault = windows_status(root_ + *inside, found)) return refused(fault, path);
      return inside;
    }
    std::string real;
    if (const int fault = windows_real_path(normal_path(path), real)) return refused(fault, path);
    return real;
  }

 private:
  bool is_machine() const { return root_ == "/"; }

  static Error not_regular(const std::string& path) {
    auto error = error_of_errno(EINVAL, path);
    error.message = "neither a regular file nor a directory (a pipe, socket or device)";
    return error;
  }

  /// Where a path lies on this machine. `..` is taken away as text, as Windows itself does it.
  Result<std::string> locate(const std::string& path) const {
    if (is_machine()) {
      auto place = normal_path(path);
      // Nothing is below a file, be it "." alone.
      if (path.ends_with('/') && place != "/") {
        WindowsFileStatus found;
        if (windows_status(place, found) == 0 && !found.directory) return error_of_errno(ENOTDIR, path);
      }
      return place;
    }
    auto inside = resolve(path);
    if (!inside) return inside.error();
    return root_ + *inside;
  }

  /// Walks the path one name at a time, as a kernel of Linux would in a root of its own.
  Result<std::string> resolve(const std::string& path) const {
    constexpr int most_links = 40;  // path_resolution(7)
    std::vector<std::string> todo;
    const auto push = [&todo](std::string_view text) {
      const auto parts = split(text, "/");
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) todo.emplace_back(*part);
    };
    push(path);
    std::string resolved;
    int links = 0;
    while (!todo.empty()) {
      const std::string part = std::move(todo.back());
      todo.pop_back();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        resolved.resize(resolved.empty() ? 0 : resolved.rfind('/'));
        continue;
      }
      const std::string next = resolved + '/' + part;
      WindowsEntry entry;
      int fault = windows_entry(root_ + next, entry);
      if (fault == 0 && entry.name != part) fault = ENOENT;  // of another case
      if (fault != 0) return refused(fault, path);
      if (!entry.link) {
        if (!entry.directory && !todo.empty()) return error_of_errno(ENOTDIR, path);
        resolved = next;
        continue;
      }
      std::string target;
      if (const int refusal = windows_link_target(root_ + next, target)) return refused(refusal, path);
      if (++links > most_links) return error_of_errno(ELOOP, path);
      if (target.starts_with('/')) resolved.clear();
      push(target);
    }
    return resolved.empty() ? std::string("/") : resolved;
  }

  std::string root_;
};

}  // namespace

std::unique_ptr<FileSystem> make_disk_file_system(std::string root) { return std::make_unique<DiskFileSystem>(root); }

std::unique_ptr<FileSystem> make_disk_file_system(std::string root, RootKeeper) {
  return make_disk_file_system(std::move(root));
}

bool kernel_keeps_roots() { return false; }

}  // namespace cudald

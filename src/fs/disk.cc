#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <cudald/file_system.h>

#include "base/path.h"

namespace cudald {
namespace {

Error error_from_errno(int number, const std::string& path) {
  const bool absent = number == ENOENT || number == ENOTDIR;
  return {absent ? ErrorCode::absent : ErrorCode::unreadable, std::strerror(number), path, std::nullopt, number};
}

FileStatus status_from(const struct stat& st) {
  FileStatus status;
  if (S_ISREG(st.st_mode)) status.kind = FileKind::regular;
  if (S_ISDIR(st.st_mode)) status.kind = FileKind::folder;
  status.size = static_cast<std::uint64_t>(st.st_size);
  status.id = {st.st_dev, st.st_ino};
  status.executable = (st.st_mode & 0111) != 0;
  status.set_user_id = (st.st_mode & S_ISUID) != 0;
  return status;
}

class DiskFile final : public File {
 public:
  DiskFile(int descriptor, FileStatus status, std::string path)
      : descriptor_(descriptor), status_(status), path_(std::move(path)) {}
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;
  ~DiskFile() override { ::close(descriptor_); }

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - into.size()) return std::size_t{0};
    std::size_t done = 0;
    while (done < into.size()) {
      const auto got = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got == 0) break;
      if (got < 0) {
        if (errno == EINTR) continue;
        return error_from_errno(errno, path_);
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int descriptor_;
  FileStatus status_;
  std::string path_;
};

class DiskFileSystem final : public FileSystem {
 public:
  explicit DiskFileSystem(std::string root) : root_(normal_path(root)) {}

  Result<FileStatus> status(const std::string& path) const override {
    const auto host = host_path(path);
    if (!host) return host.error();
    struct stat st;
    if (::stat(host->c_str(), &st) != 0) return error_from_errno(errno, path);
    return status_from(st);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    const auto host = host_path(path);
    if (!host) return host.error();
    struct stat st;
    // Asked before opening: to open a device or a pipe can block or have effects of its own.
    if (::stat(host->c_str(), &st) != 0) return error_from_errno(errno, path);
    if (S_ISDIR(st.st_mode)) return error_from_errno(EISDIR, path);
    if (!S_ISREG(st.st_mode)) return not_regular(path);
    const int descriptor = ::open(host->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) return error_from_errno(errno, path);
    if (::fstat(descriptor, &st) != 0 || !S_ISREG(st.st_mode)) {
      ::close(descriptor);
      return not_regular(path);
    }
    return std::unique_ptr<File>(std::make_unique<DiskFile>(descriptor, status_from(st), path));
  }

  Result<std::string> real_path(const std::string& path) const override {
    if (root_ != "/") return resolve(path);
    char* resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr) return error_from_errno(errno, path);
    std::string result(resolved);
    std::free(resolved);
    return result;
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const auto host = host_path(path);
    if (!host) return host.error();
    DIR* folder = ::opendir(host->c_str());
    if (folder == nullptr) return error_from_errno(errno, path);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(folder)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(folder);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static Error not_regular(const std::string& path) {
    auto error = error_from_errno(EINVAL, path);
    error.message = "neither a regular file nor a folder (a pipe, socket or device)";
    return error;
  }

  Result<std::string> host_path(const std::string& path) const {
    if (root_ == "/") return path;
    auto inside = resolve(path);
    if (!inside) return inside;
    return root_ + *inside;
  }

  /// Walks the path one name at a time, as the kernel would in a root of its own. A missing last name
  /// is no error: the caller's own system call reports it.
  Result<std::string> resolve(const std::string& path) const {
    constexpr int most_links = 40;  // the kernel's own number (path_resolution(7))
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
      char target[PATH_MAX];
      const auto length = ::readlink((root_ + next).c_str(), target, sizeof target);
      if (length < 0) {
        if (errno != EINVAL && errno != ENOENT) return error_from_errno(errno, path);
        if (errno == ENOENT && !todo.empty()) return error_from_errno(ENOENT, path);
        resolved = next;
        continue;
      }
      if (++links > most_links) return error_from_errno(ELOOP, path);
      const std::string_view text(target, static_cast<std::size_t>(length));
      if (text.starts_with('/')) resolved.clear();
      push(text);
    }
    return resolved.empty() ? std::string("/") : resolved;
  }

  std::string root_;
};

}  // namespace

std::unique_ptr<FileSystem> make_disk_file_system(std::string root) {
  return std::make_unique<DiskFileSystem>(std::move(root));
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
  const auto size = (*file)->status().size;
  if (size > limit)
    return Error{ErrorCode::limit, "larger than the " + std::to_string(limit) + " bytes that are read of it", path,
                 std::nullopt, 0};
  std::string text(size, '\0');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  if (!got) return got.error();
  text.resize(*got);
  return text;
}

}  // namespace cudald

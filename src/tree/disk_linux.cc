#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/path.h"
#include "base/refusals.h"
#include "os/sandbox.h"
#include "tree/disk.h"
#include "tree/system_error.h"

namespace cudald {
namespace {

// The same number on every architecture but Alpha; the C library of Debian 11 has no name for it.
#ifdef SYS_openat2
constexpr long openat2_number = SYS_openat2;
#else
constexpr long openat2_number = 437;
#endif

std::int64_t nanoseconds(const struct timespec& time) {
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

FileStatus status_from(const struct stat& st) {
  FileStatus status;
  if (S_ISREG(st.st_mode)) status.kind = FileKind::regular;
  if (S_ISDIR(st.st_mode)) status.kind = FileKind::folder;
  status.size = static_cast<std::uint64_t>(st.st_size);
  status.id = {st.st_dev, st.st_ino};
  status.executable = (st.st_mode & 0111) != 0;
  status.set_user_id = (st.st_mode & S_ISUID) != 0;
  status.set_group_id = (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
  status.owner = st.st_uid;
  status.group = st.st_gid;
  status.changed = nanoseconds(st.st_ctim);
  return status;
}

/// Whether what changed then cannot change again within the same tick of the clock, and look the same.
bool is_settled(std::int64_t changed) {
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - changed >= longest_clock_tick(changed);
}

/// Names in folders that were listed, for as long as a folder has not changed since: of a Python environment the same
/// few are asked for again and again.
class Listings {
 public:
  std::optional<std::vector<std::string>> find(const std::string& path, const FileStatus& folder) const {
    const std::lock_guard lock(mutex_);
    const auto known = by_path_.find(path);
    if (known == by_path_.end() || known->second.folder != folder) return std::nullopt;
    return known->second.names;
  }
  void keep(const std::string& path, const FileStatus& folder, const std::vector<std::string>& names) {
    if (!is_settled(folder.changed)) return;
    const std::lock_guard lock(mutex_);
    count_ += 1 + names.size();
    if (count_ > most_names) return;
    by_path_[path] = {folder, names};
  }

 private:
  static constexpr std::size_t most_names = 100'000;

  struct Listing {
    FileStatus folder;  ///< as it was before
    std::vector<std::string> names;
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Listing> by_path_;
  std::size_t count_ = 0;  ///< of all that was kept, folders included
};

/// A descriptor that is closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

/// A permission that this process alone lacks: whoever loads the file has it. Nothing if it is not that.
std::optional<Error> refused_by_sandbox(int number, std::string_view path) {
  if (number != EACCES || !is_hidden_by_sandbox(path)) return std::nullopt;
  auto error = error_of_errno(number, path);
  error.code = ErrorCode::unreadable;
  error.message = "the sandbox hides other users' homes; --sandbox=off reads them";
  note_refusal(error);
  return error;
}

/// The Error of what the system refuses, which is noted unless a loader takes it for an answer.
Error refused(int number, std::string_view path) {
  if (auto hidden = refused_by_sandbox(number, path)) return std::move(*hidden);
  auto error = error_of_errno(number, path);
  if (!is_answer(number)) note_refusal(error);
  return error;
}

/// The same of something that was there a moment ago: only a missing permission is an answer.
Error refused_though_there(int number, std::string_view path) {
  if (auto hidden = refused_by_sandbox(number, path)) return std::move(*hidden);
  auto error = error_of_errno(number, path);
  if (number != EACCES) {
    error.code = ErrorCode::unreadable;
    note_refusal(error);
  }
  return error;
}

/// The name of what a descriptor stands for.
std::string own_path(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Opens a path below a folder as if that were the root of all; -1 and errno.
int open_in_root(int root, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed meanwhile, and `..` might have led out (openat2(2)).
  constexpr int most_tries = 32;
  long number = -1;
  for (int i = 0; i < most_tries && number < 0; ++i) {
    number = ::syscall(openat2_number, root, path, &how, sizeof how);
    if (number < 0 && errno != EAGAIN && errno != EINTR) break;
  }
  return static_cast<int>(number);
}

class DiskFile final : public File {
 public:
  /// `has_blocks`: its size is that of bytes on a disk, and not what a file of the kernel's own states. `here`: of this
  /// machine, not of a tree that only lies on it.
  DiskFile(int descriptor, FileStatus status, std::string path, bool has_blocks, bool here)
      : descriptor_(descriptor), status_(status), path_(std::move(path)), has_blocks_(has_blocks), here_(here) {}
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;
  ~DiskFile() override { ::close(descriptor_); }

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - into.size()) return std::size_t{0};
    std::size_t done = 0;
    while (done < into.size()) {
      const auto got = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got == 0 && has_blocks_ && offset + done < status_.size)
        note_refusal({ErrorCode::unreadable, "it became shorter while it was read", path_, offset + done, 0});
      if (got == 0) break;
      if (got < 0) {
        if (errno == EINTR) continue;
        auto error = error_of_errno(errno, path_);
        note_refusal(error);
        return error;
      }
      done += static_cast<std::size_t>(got);
      if (offset + done == status_.size) break;  // its end need not be asked for
    }
    return done;
  }

  bool is_at_hand() const override { return true; }

  MountFlags mount() const override {
    struct statvfs mounted;
    if (!here_ || ::fstatvfs(descriptor_, &mounted) != 0) return {};
    return {(mounted.f_flag & ST_NOEXEC) != 0, (mounted.f_flag & ST_NOSUID) != 0};
  }

  std::string capabilities() const override {
    constexpr std::size_t most = 64;  // linux/capability.h: 24 bytes of version 3
    std::string bytes(most, '\0');
    const auto size = ::fgetxattr(descriptor_, "security.capability", bytes.data(), bytes.size());
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

  std::string identity() const override {
    struct stat st;
    if (::fstat(descriptor_, &st) != 0) return "";
    if (!is_settled(nanoseconds(st.st_ctim))) return "";
    return fmt::format("{} {} {} {}.{} {}.{}", st.st_dev, st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                       st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
  }

 private:
  int descriptor_;
  FileStatus status_;
  std::string path_;
  bool has_blocks_, here_;
};

class DiskFileSystem final : public FileSystem {
 public:
  DiskFileSystem(std::string root, RootKeeper keeper) : root_(normal_path(root)) {
    if (root_ == "/" || keeper == RootKeeper::walk) return;
    Descriptor folder(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return;
    // Whatever it is that refuses, the walk does it; without /proc what was found cannot be opened.
    const Descriptor itself(open_in_root(folder.get(), "/", O_PATH));
    const Descriptor again(::open(own_path(folder.get()).c_str(), O_PATH | O_CLOEXEC));
    if (itself && again) folder_ = folder.release();
  }
  ~DiskFileSystem() override {
    if (folder_ >= 0) ::close(folder_);
  }
  DiskFileSystem(const DiskFileSystem&) = delete;
  DiskFileSystem& operator=(const DiskFileSystem&) = delete;

  Result<FileStatus> status(const std::string& path) const override {
    const auto place = locate(path);
    if (!place) return place.error();
    struct stat st;
    if (place->status(st) != 0) return refused(errno, path);
    return status_from(st);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    const auto place = locate(path);
    if (!place) return place.error();
    struct stat st;
    // Asked before opening: to open a device or a pipe can block or have effects of its own.
    if (place->status(st) != 0) return was_opened(path) ? refused_though_there(errno, path) : refused(errno, path);
    if (S_ISDIR(st.st_mode)) return error_of_errno(EISDIR, path);
    if (!S_ISREG(st.st_mode)) return not_regular(path);
    Descriptor descriptor(place->open(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!descriptor) return refused_though_there(errno, path);
    if (::fstat(descriptor.get(), &st) != 0) return refused_though_there(errno, path);
    if (!S_ISREG(st.st_mode)) return not_regular(path);
    note_opened(path);
    return std::unique_ptr<File>(
        std::make_unique<DiskFile>(descriptor.release(), status_from(st), path, st.st_blocks != 0, root_ == "/"));
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const auto place = locate(path);
    if (!place) return place.error();
    struct stat st;
    if (place->status(st) != 0) return refused(errno, path);
    const auto status = status_from(st);
    if (status.kind != FileKind::folder) return error_of_errno(ENOTDIR, path);
    if (auto known = listings_.find(path, status)) return std::move(*known);
    DIR* folder = ::opendir(place->name().c_str());
    if (folder == nullptr) return refused_though_there(errno, path);
    std::vector<std::string> names;
    // Its end and an error look the same but for errno.
    for (errno = 0; const dirent* entry = ::readdir(folder); errno = 0) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int fault = errno;
    ::closedir(folder);
    if (fault != 0) return refused_though_there(fault, path);
    std::sort(names.begin(), names.end());
    listings_.keep(path, status, names);
    return names;
  }

  bool has_name(const std::string& path) const override {
    if (root_ != "/") return FileSystem::has_name(path);
    struct stat st;
    if (::lstat(path.c_str(), &st) == 0) return true;
    (void)refused(errno, path);
    return false;
  }

  Result<std::string> real_path(const std::string& path) const override {
    if (root_ != "/") return resolve(path);
    // realpath asks about each folder on the way, and most files of a question lie in few: those are asked about once.
    const std::string folder(parent_path(path)), name(file_name(path));
    if (!path.starts_with('/') || path.size() > PATH_MAX || name.empty() || name == "." || name == "..")
      return real_path_by_libc(path);
    const auto real = real_folder(folder);
    if (!real) return real_path_by_libc(path);
    auto result = (*real == "/" ? "" : *real) + "/" + name;
    char target[1];
    const bool is_no_link = ::readlink(result.c_str(), target, sizeof target) < 0 && errno == EINVAL;
    return is_no_link ? result : real_path_by_libc(path);
  }

 private:
  /// Where a path leads: a descriptor that was opened for nothing but that (O_PATH), or a path of this machine.
  struct Place {
    Descriptor descriptor;
    std::string host;

    int status(struct stat& st) const {
      return descriptor ? ::fstat(descriptor.get(), &st) : ::stat(host.c_str(), &st);
    }
    /// Of what was found, not of what may lie there by now.
    std::string name() const { return descriptor ? own_path(descriptor.get()) : host; }
    int open(int flags) const { return ::open(name().c_str(), flags); }
  };

  static Result<std::string> real_path_by_libc(const std::string& path) {
    char* resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr) return refused(errno, path);
    std::string result(resolved);
    std::free(resolved);
    return result;
  }

  Result<std::string> real_folder(const std::string& folder) const {
    if (folder == "/") return folder;
    {
      const std::lock_guard lock(real_folders_mutex_);
      if (const auto known = real_folders_.find(folder); known != real_folders_.end()) return known->second;
    }
    auto real = real_path(folder);
    const std::lock_guard lock(real_folders_mutex_);
    if (real && real_folders_.size() < most_real_folders) real_folders_.emplace(folder, *real);
    return real;
  }

  /// The tree is taken to stand still: what was there and is not any more is no answer.
  bool was_opened(const std::string& path) const {
    const std::lock_guard lock(opened_mutex_);
    return opened_.contains(std::hash<std::string>()(path));
  }
  void note_opened(const std::string& path) const {
    const std::lock_guard lock(opened_mutex_);
    if (opened_.size() < most_opened) opened_.insert(std::hash<std::string>()(path));
  }

  static Error not_regular(const std::string& path) {
    auto error = error_of_errno(EINVAL, path);
    error.message = "neither a regular file nor a directory (a pipe, socket or device)";
    return error;
  }

  Result<Place> locate(const std::string& path) const {
    if (root_ == "/") return Place{Descriptor(), path};
    if (folder_ < 0) {
      auto inside = resolve(path);
      if (!inside) return inside.error();
      return Place{Descriptor(), root_ + *inside};
    }
    Descriptor descriptor(open_in_root(folder_, path.empty() ? "/" : path.c_str(), O_PATH));
    if (!descriptor) return refused(errno, path);
    return Place{std::move(descriptor), ""};
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
      struct stat st;
      if (::lstat((root_ + next).c_str(), &st) != 0) {
        if (errno != ENOENT || !todo.empty()) return refused(errno, path);
        return next;
      }
      if (!S_ISLNK(st.st_mode)) {
        // Whatever follows it, be it `..` or nothing behind a slash.
        if (!S_ISDIR(st.st_mode) && !todo.empty()) return error_of_errno(ENOTDIR, path);
        resolved = next;
        continue;
      }
      char target[PATH_MAX];
      const auto length = ::readlink((root_ + next).c_str(), target, sizeof target);
      if (length < 0) return refused_though_there(errno, path);
      if (++links > most_links) return error_of_errno(ELOOP, path);
      const std::string_view text(target, static_cast<std::size_t>(length));
      if (text.starts_with('/')) resolved.clear();
      push(text);
    }
    return resolved.empty() ? std::string("/") : resolved;
  }

  static constexpr std::size_t most_real_folders = 100'000, most_opened = 100'000;

  mutable std::mutex opened_mutex_;
  mutable std::unordered_set<std::size_t> opened_;  ///< hashes of paths
  mutable std::mutex real_folders_mutex_;
  mutable std::unordered_map<std::string, std::string> real_folders_;
  mutable Listings listings_;

  int folder_ = -1;  ///< the root's, if the kernel keeps paths inside it
  std::string root_;
};

}  // namespace

std::unique_ptr<FileSystem> make_disk_file_system(std::string root) {
  return make_disk_file_system(std::move(root), RootKeeper::kernel);
}

std::unique_ptr<FileSystem> make_disk_file_system(std::string root, RootKeeper keeper) {
  return std::make_unique<DiskFileSystem>(std::move(root), keeper);
}

bool kernel_keeps_roots() {
  const Descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return root && Descriptor(open_in_root(root.get(), "/", O_PATH));
}

}  // namespace cudald

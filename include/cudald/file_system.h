#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// Identifies a file whatever its name: the loader takes two paths with one identity for one library.
struct FileId {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FileId&) const = default;
};

enum class FileKind { regular, folder, other };

struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;  ///< bytes
  FileId id;
  bool executable = false;  ///< some execute permission bit is set
  bool set_user_id = false;
  bool set_group_id = false;  ///< with the group's execute permission: without it the bit means something else
  std::uint32_t owner = 0, group = 0;
  /// When its bytes, its names if it is a folder, or anything that is said here changed last, in nanoseconds since
  /// 1970; 0 if the tree does not know.
  std::int64_t changed = 0;
  bool operator==(const FileStatus&) const = default;
};

/// What the mount forbids on which a file of this machine lies.
struct MountFlags {
  bool no_exec = false;    ///< nothing is executed or mapped as code
  bool no_set_id = false;  ///< nosuid: set-ID bits and capabilities count for nothing
};

class KeptFile;  // cache/cached_file.h

/// An open regular file. Reads never change any state that another reader sees.
class File {
 public:
  virtual ~File() = default;
  virtual const FileStatus& status() const = 0;
  /// Reads up to `into.size()` bytes from `offset`; fewer only at the end of the file. The file may have
  /// shrunk since it was opened: then fewer bytes come back, never a signal.
  virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const = 0;
  /// What is wrong with the file as a whole, where that can be told: a member of an archive reads itself to its end
  /// and holds its size and checksum against the archive's directory.
  virtual std::optional<Error> verify() const { return std::nullopt; }
  /// Whether going back in it is costly, as it is decompressed onwards.
  virtual bool is_stream() const { return false; }
  /// Whether these bytes can be read in any order at the same cost: all bytes, or those of a stream that are kept.
  virtual bool reads_anywhere(std::uint64_t /*offset*/, std::uint64_t /*size*/) const { return !is_stream(); }
  /// Whether a little more may be read than was asked for, as that costs hardly anything: its bytes lie on a disk of
  /// this machine.
  virtual bool is_at_hand() const { return false; }
  /// Of files of this machine itself; those of another tree may lie anywhere.
  virtual MountFlags mount() const { return {}; }
  /// The bytes of the extended attribute security.capability; empty if it has none, or the tree does not know.
  virtual std::string capabilities() const { return ""; }
  /// Which file of this machine's disks it is, and when it was changed last: another file, or this one after a change,
  /// says something else. Empty where that cannot be told.
  virtual std::string identity() const { return ""; }
  /// Itself, if what is read of it is kept for the next run.
  virtual const KeptFile* kept() const { return nullptr; }
};

/// A read-only tree of files under one path space, with `/` as its root: a disk, a sysroot, memory.
/// Paths are absolute and may hold `.`, `..` and symbolic links, which are followed inside the tree.
/// Errors carry errno in `system_error`, because loaders act upon it.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// What `path` is, all symbolic links followed.
  virtual Result<FileStatus> status(const std::string& path) const = 0;
  /// Opens a regular file. Folders, pipes, sockets and devices are never opened:
  /// EISDIR for a folder, EINVAL for the rest.
  virtual Result<std::unique_ptr<File>> open(const std::string& path) const = 0;
  /// The path without symbolic links, `.` and `..`, as seen inside the tree.
  virtual Result<std::string> real_path(const std::string& path) const = 0;
  /// Names in a folder, sorted, without `.` and `..`.
  virtual Result<std::vector<std::string>> list(const std::string& path) const = 0;
  /// Whether the folder of a path has its last name, be it that of a symbolic link that leads nowhere. As `list` says
  /// it, unless a tree knows a quicker way.
  virtual bool has_name(const std::string& path) const;
};

/// The files below `root` of this machine's disk; `/` is the machine itself. Symbolic links with an
/// absolute target lead to the tree's own root, as in a container.
std::unique_ptr<FileSystem> make_disk_file_system(std::string root = "/");

/// Whether a path leads to a regular file, or to a folder.
bool is_file(const FileSystem&, const std::string& path);
bool is_folder(const FileSystem&, const std::string& path);

/// Reads a whole file of at most `limit` bytes.
Result<std::string> read_file(const FileSystem&, const std::string& path, std::uint64_t limit);
/// The same of one that is open; errors name `path`.
Result<std::string> read_file(const File&, const std::string& path, std::uint64_t limit);

}  // namespace cudald

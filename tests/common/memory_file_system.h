#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// What else there is to say of a file in memory.
struct FileTraits {
  bool readable = true;  ///< else EACCES when it is opened
  bool executable = false;
  bool set_user_id = false;
  bool broken_disk = false;                   ///< it opens, and every read fails with EIO
  std::optional<std::uint64_t> claimed_size;  ///< more than there is: the file shrank after it was opened
  bool no_exec = false;                       ///< on a file system that is mounted noexec
  bool no_set_id = false;                     ///< the same with nosuid
  bool set_group_id = false;
  std::uint32_t owner = 0, group = 0;
  std::string capabilities = "";        ///< the bytes of security.capability
  std::optional<std::int64_t> changed;  ///< when, if not in the order in which files were added
};

/// A tree of files in memory that behaves as a disk would and notes each look-up. Once it is filled, several threads
/// may ask it.
class MemoryFileSystem final : public FileSystem {
 public:
  MemoryFileSystem();
  ~MemoryFileSystem() override;

  // Folders above are made where they are missing.
  void add_file(const std::string& path, std::string bytes, FileTraits = {});
  void add_folder(const std::string& path);
  void add_symlink(const std::string& path, const std::string& target);
  /// A second name of a file that is there.
  void add_hard_link(const std::string& path, const std::string& existing);
  /// A pipe, socket or device.
  void add_special(const std::string& path);
  /// A folder that may not be searched, so that nothing in it can be reached.
  void close_folder(const std::string& path);

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

  /// Every look-up so far as "open /lib/liba.so", "status /lib", "list /etc"; a second call starts anew.
  std::vector<std::string> take_log() const;

 private:
  struct Node;
  struct Log;
  class MemoryFile;
  struct Place {
    std::shared_ptr<Node> node;
    std::string path;
  };

  Node& make_folder(const std::string& path);
  Node& put(const std::string& path, std::shared_ptr<Node>);
  std::shared_ptr<Node> new_node(FileKind);
  Result<Place> find(const std::string& path) const;
  void note(const char* what, const std::string& path) const;

  std::uint64_t nodes_ = 0;
  std::int64_t changes_ = 0;  ///< its clock
  std::shared_ptr<Node> root_;
  std::shared_ptr<Log> log_;
};

}  // namespace cudald

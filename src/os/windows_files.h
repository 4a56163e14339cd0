#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cudald {

// The file system of Windows, for paths of the tree. What fails returns an errno of what was refused.

struct WindowsFileStatus {
  bool regular = false, directory = false;
  std::uint64_t size = 0, volume = 0, number = 0;
  std::int64_t changed = 0;  ///< in nanoseconds since 1970
};

/// An entry of a directory, links not followed.
struct WindowsEntry {
  std::string name;  ///< as the directory has it, whatever the case it was asked for
  bool directory = false, link = false;
};

/// A file that is open for reading.
class WindowsFile {
 public:
  WindowsFile() = default;
  WindowsFile(const WindowsFile&) = delete;
  WindowsFile& operator=(const WindowsFile&) = delete;
  ~WindowsFile();

  int open(const std::string& path);
  int status(WindowsFileStatus&) const;
  /// How many bytes were read; -1 and errno.
  std::ptrdiff_t read(std::uint64_t offset, std::span<std::byte> into) const;

 private:
  void* handle_ = nullptr;
};

/// Links are followed.
int windows_status(const std::string& path, WindowsFileStatus&);
int windows_entry(const std::string& path, WindowsEntry&);
int windows_names(const std::string& directory, std::vector<std::string>& names);
/// The path without links, each name as its directory has it.
int windows_real_path(const std::string& path, std::string& real);
/// Where a symbolic link leads, with slashes; a full path is one of the tree.
int windows_link_target(const std::string& path, std::string& target);
/// "C:", "D:"
std::vector<std::string> windows_drives();

}  // namespace cudald

#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cudald {

/// A folder on the disk that is gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/cudald-scan-test.XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// When a file was written or touched last, in seconds.
inline time_t touched(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
}

/// Lets a file be one that was touched so long ago.
inline void let_be_old(const std::string& path, time_t seconds) {
  const timespec then{touched(path) - seconds, 0};
  const timespec times[] = {then, then};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);
}

}  // namespace cudald

#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <stdlib.h>

#include "tree/disk.h"

namespace cudald {

/// Until the clock of the file system has gone on so far that what was changed before has changed long ago.
inline void wait_for_clock() { std::this_thread::sleep_for(2 * std::chrono::nanoseconds(longest_clock_tick(1))); }

/// A folder on the disk that is gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cudald-unit-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch directory can be made");
    path_ = std::filesystem::canonical(name);
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& below) const { return path_ + "/" + below; }

  void add_file(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << bytes;
  }
  void add_symlink(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::filesystem::create_symlink(target, *this / name);
  }

 private:
  std::string path_;
};

}  // namespace cudald

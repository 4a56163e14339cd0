#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"
#include "session/wheel_index.h"

namespace cudald {

/// A wheel for any Python, with these files and lines of METADATA.
struct MadeWheel {
  std::string name, version;
  std::vector<std::pair<std::string, std::string>> files;
  std::string metadata;
  std::string uploaded = {};
};

/// An index whose wheels lie in the tree of the test.
class MadeIndex final : public WheelIndex {
 public:
  MadeIndex(MemoryFileSystem& files, std::vector<MadeWheel> wheels) {
    for (const auto& wheel : wheels) {
      LockedFile file;
      file.name = wheel.name + "-" + wheel.version + "-py3-none-any.whl";
      file.path = "/index/" + file.name;
      file.uploaded = wheel.uploaded;
      files.add_file(file.path, wheel_file(wheel.files, wheel.metadata, wheel.name, "py3-none-any", wheel.version));
      wheels_.emplace_back(wheel.name, std::move(file));
    }
  }

  Result<std::vector<LockedFile>> wheels_of(const std::string& project) override {
    std::vector<LockedFile> found;
    for (const auto& [name, file] : wheels_)
      if (name == project) found.push_back(file);
    if (found.empty()) return Error{ErrorCode::absent, "it has no wheel"};
    return found;
  }
  std::string reach(const LockedFile& file) override { return file.path; }

 private:
  std::vector<std::pair<std::string, LockedFile>> wheels_;
};

}  // namespace cudald

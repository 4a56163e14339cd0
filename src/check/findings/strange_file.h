#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "binary/image_store.h"

namespace cudald {

/// What lies in a library's place and is none.
struct StrangeFile {
  std::string is;  ///< "it is a Git LFS pointer, not the library"
  std::vector<Fix> fixes;
};

/// What a file is that no loader accepts; nullopt if its content does not show it. `windows`: a DLL is needed.
std::optional<StrangeFile> identify_strange_file(const std::string& path, ImageStore&, bool windows);

}  // namespace cudald

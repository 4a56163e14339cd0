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

/// Looks into a file that no loader takes; nullopt if its content tells nothing. `windows`: a DLL is wanted.
std::optional<StrangeFile> identify_strange_file(const std::string& path, ImageStore&, bool windows);

}  // namespace cudald

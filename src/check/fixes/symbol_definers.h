#pragma once

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Whether a file defines what is missing, in the version that is asked for.
bool defines(const OpenedFile&, const MissingSymbol&, Store&);

/// Directories in which libraries that belong to a file usually are: its own, ./lib, ../lib, ../lib64 and the
/// NAME.libs of wheels; each once, those that exist.
std::vector<std::string> neighbourhood_of(const std::string& path, ImageStore&);

/// Whether a file lies in an AppImage, mounted or unpacked, whose start script sets LD_LIBRARY_PATH anew.
bool is_in_appimage(const std::string& path);

}  // namespace cudald

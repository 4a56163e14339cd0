#pragma once

#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// Where a library of this name lies in a prefix, a virtual environment or one of conda: in its lib or Library/bin,
/// beside modules, and where packages have libraries that nothing searches, as nvidia/cudnn/bin. Empty if it is nowhere
/// there.
std::string library_in_prefix(const std::string& name, const std::string& prefix, const FileSystem&);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/finding.h>

namespace cudald {

/// Of a file of a snap, by its path: which snaps give it libraries, and whether one of these has the library. False for
/// any other file.
bool add_snap(const std::string& path, const std::string& library, const FileSystem&, Finding&);

}  // namespace cudald

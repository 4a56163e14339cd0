#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/finding.h>

namespace cudald {

/// Of a file of a program of Flatpak, by its path on the machine or in the sandbox: what it is started with, and
/// whether that has the library. False for any other file.
bool add_flatpak(const std::string& path, const std::string& library, const FileSystem&, Finding&);

/// Whether neither a program of Flatpak nor its runtime, which is there, has the library: in the sandbox, that of the
/// system is none.
bool lacks_in_flatpak(const std::string& path, const std::string& library, const FileSystem&);

}  // namespace cudald

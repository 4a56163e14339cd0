#pragma once

#include <optional>
#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// The file that a pasted text is about, as the text names it, if it is there: "/opt/x/libb.so", "C:\\app\\b.dll". What
/// a version was not found for, not the library that lacks it; else the first one. Libraries come before other files.
/// Of Windows, `files` is a copy of drive C:, and the path is one of that tree. Empty if there is none.
std::string file_of_message(const std::string& text, const FileSystem& files, const std::string& cwd);

/// The DLL in the directory of a program that a text names without a directory: "Unable to load 'libraw.dll'". Empty if
/// there is none.
std::string dll_beside(const std::string& text, const std::string& program, const FileSystem& files);

/// The program that says of itself what it could not load, "/usr/bin/lua: error loading module 'x'", as it stands in
/// the text, or in /usr/bin. Empty if it is not there.
std::string program_of_message(const std::string& text, const FileSystem& files);

/// Whether a program may open it: a library by its name, or on Windows by what is in it.
bool may_be_opened(const std::string& path, const FileSystem& files);

/// A library that a message names by a path at which nothing is, and where one of that name lies: in a directory beside
/// that of the path or above it, below /usr, or in another release of what lies in /opt or /usr/local.
struct MisplacedFile {
  std::string named, path;
  std::string settings;  ///< a file that tells loaders of drivers that path, "/etc/OpenCL/vendors/x.icd"; may be empty
};
std::optional<MisplacedFile> misplaced_file(const std::string& text, const FileSystem& files, const std::string& cwd);

}  // namespace cudald

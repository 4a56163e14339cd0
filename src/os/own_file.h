#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cudald {

// Files that cudald writes for itself. Descriptors are those of the C library; -1 where there is none.

/// Opens a regular file to read it; a link is not followed.
struct OwnFile {
  int descriptor = -1;
  std::uint64_t size = 0;
};
OwnFile open_own_file(const std::string& path);
/// Its time of change becomes now.
void mark_as_used(int descriptor);
/// A new file beside `path`, with a dot and six letters more in its name.
struct SiblingFile {
  int descriptor = -1;
  std::string path;
  int fault = 0;  ///< errno, where there is none
};
SiblingFile make_file_beside(const std::string& path);
/// False if what was written may be lost.
bool close_own_file(int descriptor);
/// Gives a file another name, in one step, also where a file has that name.
bool rename_file(const std::string& from, const std::string& to);
bool remove_file(const std::string& path);
/// Makes a directory, not those above it. True if it is there then.
bool make_directory(const std::string& path);
/// Permissions like those of another file, but for set-ID bits. On Windows a file has those of its directory.
void copy_permissions(const std::string& from, const std::string& to);

}  // namespace cudald

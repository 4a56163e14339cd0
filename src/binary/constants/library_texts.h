#pragma once

#include <string>
#include <string_view>

#include <cudald/file_system.h>
#include <cudald/library_texts.h>

namespace cudald {

struct Image;  // cudald/image.h

/// The names of libraries that stand as texts of their own in the read-only data of a file which calls dlopen or
/// LoadLibrary: "libcuda.so.1", also with a full path, and "nvcuda.dll". At most 256 MiB are searched, and 256 names
/// told.
LibraryTexts read_library_texts(const File&, const Image&);

/// Whether a whole text is such a name: not a pattern, a message or a part of a name.
bool is_library_text(std::string_view text, bool of_windows);

/// The function by which the code of a file can load libraries: "dlopen", "LoadLibraryExW"; empty if it imports none.
std::string loading_function(const File&, const Image&);

}  // namespace cudald

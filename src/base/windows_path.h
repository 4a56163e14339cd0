#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// Lower case as far as ASCII goes: names of DLLs compare without case.
std::string folded(std::string_view text);
/// A library's name as tables know it: of a DLL, whose case does not matter, in lower case.
std::string library_key(std::string_view name);
/// "C:\a\b.dll" and "\\server\share\b.dll", with slashes of either kind; not "\b.dll", which hangs on the current
/// drive.
bool is_full_windows_path(std::string_view path);
/// The part after the last slash of either kind, or after "C:".
std::string_view windows_file_name(std::string_view path);
/// The part before it, without the slash: "C:\a\b.dll" -> "C:\a", "C:\b.dll" -> "C:\".
std::string windows_folder(std::string_view path);
/// `folder`, one backslash and `name`.
std::string windows_join(std::string_view folder, std::string_view name);
/// A full path with backslashes, without "." and "..", by text alone.
std::string normal_windows_path(std::string_view path);

}  // namespace cudald

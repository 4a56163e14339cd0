#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// UTF-8 as Windows takes it. What is no UTF-8 becomes U+FFFD, which no file is called.
std::wstring wide(std::string_view utf8);
/// What Windows gives, in UTF-8.
std::string narrow(std::wstring_view);
/// A path of the tree as Windows takes it, whatever its length: "/C:/a" is \\?\C:\a, "/UNC/server/share/a" is
/// \\?\UNC\server\share\a. Empty for what Windows has no name for: no drive, or a name with a character that none has.
std::wstring windows_path_of(std::string_view tree_path);
/// The path of the tree that a full path of Windows means, with or without \\?\ in front.
std::string tree_path_of(std::wstring_view windows_path);

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// `path` itself if absolute, else below `folder`.
std::string absolute_path(std::string_view path, std::string_view folder);
/// The part before the last slash: "/a/b" -> "/a", "/a" -> "/", "a" -> "".
std::string_view parent_path(std::string_view path);
/// The part after the last slash.
std::string_view file_name(std::string_view path);
/// Splits at each character of `separators`; empty elements stay, so "a:" gives {"a", ""}.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);
/// Without "." and "..", by text alone; symbolic links are not looked at.
std::string normal_path(std::string_view path);

}  // namespace cudald

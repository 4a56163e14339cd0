#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// What is taken of one folder.
inline constexpr std::size_t most_in_folder = 100'000;

/// Targets in which each folder is replaced by the packages and libraries in it and below, in the order of their paths.
/// A folder that is a module of Python (it has an __init__.py, or was named without a slash and holds neither) stays,
/// and so does one without any: it cannot be judged, which is told of it like of any other target. Of a folder, at most
/// `most` are taken. With `programs`, those of Linux count as well, whatever they are called.
std::vector<std::string> with_folders_opened(const std::vector<std::string>& targets, const FileSystem&,
                                             const std::string& cwd, std::size_t most = most_in_folder,
                                             bool programs = false);
/// Whether a file of that name is a package or a library.
bool is_target_name(const std::string& name);

}  // namespace cudald

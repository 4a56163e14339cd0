#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/report.h>

#include "fs/image_store.h"

namespace cudald {

/// Where a target lies: the path as given if it holds a slash or exists in the current folder; else a program of the
/// prefix or of PATH, or a library in the prefix's site-packages. Nullopt if only the loader's own search
/// can tell.
std::optional<std::string> find_target(const std::string& given, const Query&, ImageStore&);

/// An executable file of that name in a folder of the simulated process's PATH.
std::optional<std::string> program_on_path(const std::string& name, const Query&, const FileSystem&);

/// Whether a file is the extension module of that name: "_C.cpython-311-x86_64-linux-gnu.so", "_C.abi3.so" and
/// "_C.cp311-win_amd64.pyd" for "_C".
bool is_module_file(std::string_view file, std::string_view module);

/// The site-packages folders of a venv or conda environment.
std::vector<std::string> site_packages(const std::string& prefix, const FileSystem&);

}  // namespace cudald

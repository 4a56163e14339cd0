#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Whether a file is the extension module of that name: "_C.cpython-311-x86_64-linux-gnu.so", "_C.abi3.so" and
/// "_C.cp311-win_amd64.pyd" for "_C".
bool is_module_file(std::string_view file, std::string_view module);

/// Whether a file's name is that of a shared object: "libfoo.so", "libssl.so.1.0.2k", "_C.cpython-311.so", and not
/// "libfoo.so.debug", which has symbols for a debugger alone.
bool is_shared_object_name(std::string_view file);

/// "/venv/lib/python3.11/site-packages" of a path below it; empty if it lies in none.
std::string site_packages_of(const std::string& path);

/// The site-packages folders of a venv or conda environment.
std::vector<std::string> site_packages(const std::string& prefix, const FileSystem&);

}  // namespace cudald

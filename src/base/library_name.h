#pragma once

#include <string_view>

namespace cudald {

// What kind of file a name without a directory says that it is, whatever its case.

/// A shared library of Linux: "libz.so", "libz.so.1.2.13", "libcrypto.so.1.1.1k",
/// "_C.cpython-311-x86_64-linux-gnu.so"; not "libz.so.gz".
bool is_elf_library_name(std::string_view name);
/// A DLL: "c10.dll", "_C.pyd".
bool is_dll_name(std::string_view name);
/// A program of Windows: "t32.exe".
bool is_exe_name(std::string_view name);
/// Any of these.
bool is_library_name(std::string_view name);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// The DLL of that name which the host of .NET lets a program find, and no search of Windows does: PROGRAM.deps.json
/// beside PROGRAM.exe lists it as runtimes/win-x64/native/NAME. `machine` is that of the program. Empty if there is
/// none.
std::string dotnet_library(const std::string& library, const std::string& program, const std::string& machine,
                           const FileSystem&);

}  // namespace cudald

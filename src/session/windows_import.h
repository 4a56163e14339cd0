#pragma once

#include <string>

#include <cudald/knowledge.h>

#include "process/windows_process.h"
#include "python/run_import.h"

namespace cudald {

/// As import_module, in a process of Windows.
std::string import_on_windows(const std::string& module, const PythonEnvironment&, const FileSystem&, Budget&,
                              const Knowledge&, WindowsProcess&);

}  // namespace cudald

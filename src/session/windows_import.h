#pragma once

#include <string>

#include <cudald/knowledge.h>

#include "package/package_tree.h"
#include "process/windows_process.h"
#include "session/shared_readings.h"

namespace cudald {

/// As import_module, in a process of Windows.
std::string import_on_windows(const std::string& module, const PythonEnvironment&, const PackageTree&, SharedReadings&,
                              Budget&, const Knowledge&, WindowsProcess&);

}  // namespace cudald

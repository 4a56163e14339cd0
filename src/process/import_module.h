#pragma once

#include <string>

#include <cudald/file_system.h>

#include "process/process.h"
#include "python/run_import.h"

namespace cudald {

/// Lets the process make the requests that `import MODULE` makes of the loader, in order, within the target that is
/// open, and writes down what else came of it. Returns Python's last line if the import fails, else nothing.
std::string import_module(const std::string& module, const PythonEnvironment&, const FileSystem&, Process&);

}  // namespace cudald

#pragma once

#include <cudald/file_system.h>
#include <cudald/query.h>
#include <cudald/result.h>

#include "pyimport/run_import.h"

namespace cudald {

/// The Python that a shell of the query's environment starts: VIRTUAL_ENV's, CONDA_PREFIX's, or python3 on PATH. A
/// shim of pyenv is looked through. Error{absent} if there is none, or if which it is cannot be told from files.
Result<PythonEnvironment> find_active_python(const Query&, const FileSystem&);

}  // namespace cudald

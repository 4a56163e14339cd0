#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>

#include "base/budget.h"
#include "package/package_tree.h"
#include "process/process.h"
#include "process/process_record.h"
#include "pyimport/run_import.h"
#include "session/refused_loads.h"
#include "session/shared_readings.h"
#include "store/symbol_store.h"

namespace cudald {

/// Lets the process make the requests that `import MODULE` makes of the loader, in order, within the target that is
/// open, and writes down what else came of it. Returns Python's last line if the import fails, else nothing. The budget
/// is that of Python's code in the question, with python_limits.
std::string import_module(const std::string& module, const PythonEnvironment&, const PackageTree&, SharedReadings&,
                          Budget&, const Knowledge&, const RefusedLoads&, SymbolStore&, Process&);

/// How a process answers while a module is imported.
struct ImportAnswers {
  PythonLoader loader;
  std::function<void(const SoftLibrary&)> note;  ///< what the code may load later
  /// How the process spells a path of the tree; none: as it is.
  std::function<std::string(const std::string&)> spelled = {};
};

/// The same for any process.
std::string import_module(const std::string& module, const PythonEnvironment&, const PackageTree&, SharedReadings&,
                          Budget&, const Knowledge&, const ImportAnswers&, ProcessRecord&);

/// A refusal as it is reported, of a module that lies at `path` for whoever reads that.
Import::RefusedModule told_refusal(const RefusedModule&, std::string path);

/// "/a/b.py:7"; the file alone if the line is not known.
std::string place_of(const std::string& source, std::size_t line);

}  // namespace cudald

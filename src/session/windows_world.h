#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cudald/query.h>

#include "env/windows_host.h"
#include "env/windows_tree.h"
#include "python/run_import.h"
#include "store/store.h"

namespace cudald {

/// The machine and the Python in which a process of Windows runs.
struct WindowsWorld {
  WindowsHost host;
  PythonEnvironment python;  ///< without folders if there is none
  std::vector<std::string> notes;
};

/// What kind of program makes the requests.
struct WindowsStart {
  bool python = false;
  std::string folder;  ///< in the tree, of the program; Python has its own
  bool wide = true;
};

WindowsWorld find_windows_world(const Query&, Store&, const WindowsStart&);

}  // namespace cudald

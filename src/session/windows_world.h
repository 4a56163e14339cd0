#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cudald/query.h>

#include "machine/windows_host.h"
#include "machine/windows_tree.h"
#include "pyimport/run_import.h"
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
  std::uint16_t machine = EM_X86_64;
};

/// Whether the machine that a question is about is the Windows that cudald runs on.
bool asks_about_this_windows(const Query&);

WindowsWorld find_windows_world(const Query&, Store&, const WindowsStart&);

}  // namespace cudald

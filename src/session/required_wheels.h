#pragma once

#include <string>
#include <utility>
#include <vector>

#include <cudald/query.h>

#include "package/package_tree.h"
#include "package/wheel_pool.h"
#include "pyimport/run_import.h"

namespace cudald {

struct RequiredWheels {
  std::vector<std::pair<std::string, Error>> faults;  ///< wheels that were chosen and cannot be read; a limit
  std::vector<std::string> notes;                     ///< what is required and not there, in sentences
};

/// Takes from the pool what the modules and the packages installed so far require, and what that requires in turn.
/// Of each distribution one version is taken, the newest that all who were asked before allow. They are for that
/// Python, which is one of Windows or of Linux.
RequiredWheels install_required_wheels(const WheelPool&, const std::vector<std::string>& modules, const Query&,
                                       PythonEnvironment, bool windows, PackageTree&);

}  // namespace cudald

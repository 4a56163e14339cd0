#pragma once

#include <string>

#include "check/fixes/missing_library.h"

namespace cudald {

/// The libraries of a framework come with its import, which an extension leaves to the program: that import, where the
/// library lies in a framework that is installed. Source: PyTorch, torch/utils/cpp_extension.py, which links extensions
/// without a search path.
bool add_framework_import(const MissingLibrary&, const std::string& path);

/// No package of the system has the libraries of a framework: another build of it, or its installation and import.
/// False: the library is of no framework.
bool add_framework(const MissingLibrary&);

}  // namespace cudald

#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Whether an import fails by a module that is found in a directory of PYTHONPATH or of the user's own packages, and
/// hides the one that is installed: tells both, and what leaves the first one out.
bool tell_hidden_module(const Report&, const Import&, const std::string& error, Store&, Finding&);

/// The same where a file of the user's own is called like a package of which code asks for a part: cuda.py, beside the
/// script or in another directory that comes before site-packages, and the installed cuda.bindings.
bool tell_hiding_file(const Report&, const Import&, const Import::MissingModule&, const FileSystem&, Finding&);

/// The directories that come before site-packages in the search: of the script, and those of PYTHONPATH.
std::vector<std::string> first_folders(const Report&);

}  // namespace cudald

#pragma once

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// Whether a module that is missing lies there compiled for another Python or another machine: then its distribution is
/// to be installed with this Python.
bool tell_other_python(const Import&, const std::string& module, const Installer&, Store&, Finding&);

}  // namespace cudald

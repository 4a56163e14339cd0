#pragma once

#include <string>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// Of a SyntaxError, an IndentationError or a TabError: the line, which Python takes it, and what to do about a file
/// that was changed since it was installed, that is of a release for another Python, or that nobody has installed. Of
/// other errors nothing.
void tell_refused_source(const Import&, const std::string& error, const Installer&, Store&, Finding&);

}  // namespace cudald

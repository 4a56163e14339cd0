#pragma once

#include <string>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// Of "NameError: name 'X' is not defined": the import that binds X, if the condition it stands under asks for a newer
/// release of a distribution than the one that is installed. Of other errors nothing.
void tell_guarded_name(const Import&, const std::string& error, const Installer&, Store&, Finding&);

}  // namespace cudald

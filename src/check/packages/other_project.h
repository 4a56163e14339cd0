#pragma once

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// Whether what fails belongs to a distribution under whose name users expect another project: tells which one, and
/// what installs that.
bool tell_other_project(const Report&, const Import&, Store&, Finding&);

}  // namespace cudald

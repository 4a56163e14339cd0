#pragma once

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// A missing module that Python itself had up to a release before this one: what has it since, and who asks for it.
/// False if it is none.
bool tell_left_module(const Import&, const Import::MissingModule&, const Installer&, Store&, Finding&);

}  // namespace cudald

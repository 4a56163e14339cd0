#pragma once

#include <string>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Tells of a name that a module lacks, as the import that was to bind it failed and its code caught that: which error
/// it was, and what helps against that one. False if no import here is such a one.
bool tell_caught_import(const Report&, const std::string& module, const std::string& name, Store&, Finding&);

}  // namespace cudald

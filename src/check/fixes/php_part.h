#pragma once

#include "check/findings/checks.h"

namespace cudald {

/// Of a symbol that a module of PHP misses and that another module has which PHP did not load: which module that is,
/// and what installs it and lets PHP load it first. False if none is known to have it.
bool add_php_part(const Case&, Finding&);

}  // namespace cudald

#pragma once

#include <vector>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Whether a symbol is one that the parts of glibc have for one another: they fit only parts of the same build.
bool is_private_to_glibc(const MissingSymbol&);

/// Fills the finding about such symbols, which one file of the process lacks: it belongs to another glibc.
void tell_two_glibcs(const Report&, const std::vector<const MissingSymbol*>&, Store&, Finding&);

}  // namespace cudald

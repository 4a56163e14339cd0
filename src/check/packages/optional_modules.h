#pragma once

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// What tells of a part of the standard library that is not there, and how it comes there; false if every Python has
/// the module.
bool tell_optional_module(const Report&, const Import&, const Import::MissingModule&, Store&, Finding&);

}  // namespace cudald

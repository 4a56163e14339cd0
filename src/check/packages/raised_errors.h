#pragma once

#include <string>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// Where code of a package raises the error that ends an import, what it looked for in vain before, and the releases
/// that its words ask for.
void tell_raised_error(const Report&, const Import&, const std::string& error, Store&, Finding&);

}  // namespace cudald

#pragma once

#include <string>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "store/store.h"

namespace cudald {

/// Whether an import fails because a package refuses a compiled module that was built for another release of it.
bool is_refusal(const Import&, const std::string& error);

/// That, as a finding: who was built for what, which release is there, and which one works. `error`: the last line that
/// Python prints.
Finding refusal_finding(const Report&, const Import::RefusedModule&, const std::string& error, const Installer&,
                        Store&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/report.h>
#include <cudald/resolution.h>

#include "process/session_state.h"

namespace cudald {

/// Lets one simulated process make all requests of the query, in order. `symbols` is filled where functions are looked up
/// as files are loaded, on Windows.
Resolution resolve(const Query&, SessionState&, std::optional<SymbolReport>& symbols);

/// Whether a target is an archive that is installed rather than a file that is loaded.
bool is_package(const std::string& target);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/report.h>
#include <cudald/resolution.h>

#include "store/store.h"

namespace cudald {

/// Lets one simulated process make all requests of the query, in order. `symbols` is filled where functions are looked
/// up as files are loaded, on Windows.
Resolution resolve(const Query&, Store&, std::optional<SymbolReport>& symbols);

}  // namespace cudald

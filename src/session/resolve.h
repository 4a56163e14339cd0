#pragma once

#include <optional>

#include <cudald/resolution.h>

namespace cudald {

struct Query;         // cudald/query.h
struct SymbolReport;  // cudald/symbols.h
class SessionState;

/// Lets one simulated process make all requests of the query, in order. `symbols` is filled where functions are looked
/// up as files are loaded, on Windows.
Resolution resolve(const Query&, SessionState&, std::optional<SymbolReport>& symbols);

}  // namespace cudald

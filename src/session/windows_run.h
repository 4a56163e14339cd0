#pragma once

#include <map>
#include <optional>
#include <string>

#include <cudald/resolution.h>

#include "store/store.h"

namespace cudald {

struct Query;         // cudald/query.h
struct SymbolReport;  // cudald/symbols.h
class SessionState;

/// Whether the query is about a process of Windows: its first target is a PE file, a wheel of such, or the name of a
/// DLL for which folders are given. `installed` are its wheels, by what was given, and their numbers among the
/// packages.
bool is_for_windows(const Query&, const std::map<std::string, std::size_t>& installed, Store&);

/// Lets one simulated process of Windows make all requests of the query, in order. Functions are looked up if the query
/// asks for symbols.
Resolution resolve_windows(const Query&, const std::map<std::string, std::size_t>& installed, SessionState&,
                           std::optional<SymbolReport>&);

}  // namespace cudald

#pragma once

#include <cudald/pe_symbols.h>

#include "report/json/json_text.h"
#include "report/views/fact_list.h"

namespace cudald {

/// The facts of a PE file; verbosity 1 adds functions and sections by name.
void tell_pe(const Image&, const PeSymbols&, FactList&);

/// "needed" in the JSON of a PE file: imports, delay imports and the DLLs that forwarders lead to.
Json pe_needed_json(const Image&, const PeSymbols&);
/// All else that only PE files say.
Json pe_json(const Image&, const PeSymbols&);

}  // namespace cudald

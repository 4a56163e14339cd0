#pragma once

#include <optional>
#include <string>

#include <cudald/pe_symbols.h>

#include "binary/image_store.h"

namespace cudald {

/// What a DLL or program of Windows exports and imports; nullopt if it is none, or cannot be read whole. Paid by the
/// question.
std::optional<PeSymbols> functions_in(const std::string& path, ImageStore&);

/// Whether a DLL exports a function that another file imports, by its name or its ordinal.
bool offers(const PeSymbols&, const ImportedFunction&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/pe_symbols.h>

#include "binary/image_store.h"

namespace cudald {

/// What a DLL or program of Windows exports and imports; nullopt if it is none, or cannot be read whole. Paid by the
/// question.
std::optional<PeSymbols> functions_in(const std::string& path, ImageStore&);

/// Whether a DLL exports all that a file imports by the name of a DLL; nullopt where either cannot be read, or nothing
/// is imported so.
std::optional<bool> serves(const std::string& candidate, const std::string& file, const std::string& dll, ImageStore&);

/// Whether a DLL exports a function that another file imports, by its name or its ordinal.
bool offers(const PeSymbols&, const ImportedFunction&);

}  // namespace cudald

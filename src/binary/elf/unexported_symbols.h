#pragma once

#include <string_view>

#include "binary/bytes/file_window.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Whether the full symbol table of a file (.symtab), which no loader reads, defines a symbol of that name. False where
/// strip has removed that table, or where it is large.
bool has_symbol_in_full_table(FileWindow&, const Image&, std::string_view name);

}  // namespace cudald

#pragma once

#include <cudald/environment.h>
#include <cudald/resolution.h>
#include <cudald/symbols.h>

#include "store/symbol_store.h"

namespace cudald {

/// Binds every undefined symbol that some relocation of some loaded object refers to, by the files' own hash tables
/// and the loader's scope and version rules.
/// Of functions of the CUDA runtime it is kept what answers each reference, of all symbols if `keep_bindings`.
/// Source: glibc elf/dl-lookup.c, do_lookup_x and check_match; musl ldso/dynlink.c, find_sym and do_relocs.
SymbolReport bind_symbols(const Resolution&, const Environment&, SymbolStore&, bool keep_bindings);

/// Whether a file defines a name for others, in whichever version.
bool defines(const SymbolTable&, std::string_view name);

/// Whether a symbol that is missing makes the start or dlopen fail that brings its file in: it is bound at once, and
/// not one that a program which is not known may define.
bool ends_its_request(const MissingSymbol&);

}  // namespace cudald

#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "binary/elf/symbol_table.h"

namespace cudald {

// Which definition of one object answers a reference, by the rules of each C library.

/// Which kind of use a look-up serves (glibc's type classes).
enum class LookUp { call, data, copy };

/// glibc elf/dl-lookup.c, check_match: the definition in one object that answers a reference; nullopt if none does.
/// `steps`: how many entries of the table were looked at.
std::optional<SymbolEntry> glibc_match(const SymbolTable&, const HashedName&, const IndexedVersion* wanted, LookUp,
                                       std::size_t& steps);
/// musl ldso/dynlink.c, find_sym2: the first symbol of that name that is not hidden; versions do not count.
std::optional<SymbolEntry> musl_match(const SymbolTable&, const HashedName&, LookUp, std::size_t& steps);

/// Whether symbols of that type can be definitions; the same in both.
constexpr bool type_counts(std::uint8_t type) {
  return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_COMMON || type == STT_TLS ||
         type == STT_GNU_IFUNC;
}
/// Whether symbols of that binding can be definitions.
constexpr bool binding_counts(std::uint8_t binding) {
  return binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
}

}  // namespace cudald

#pragma once

#include <cstdint>
#include <string_view>

#include <cudald/environment.h>
#include <cudald/resolution.h>

#include "machine/abi.h"

namespace cudald {

/// What GLIBC_TUNABLES says of the reserve, as glibc reads it: pairs `name=value` between colons; a value beyond the
/// bounds of its tunable counts for nothing, and since 2.39 neither does one that is no number.
/// Source: glibc elf/dl-tunables.c, parse_tunables; elf/dl-tunables.list, rtld.
struct TlsTunables {
  std::uint64_t namespaces = 4;  ///< glibc.rtld.nns
  std::uint64_t optional = 512;  ///< glibc.rtld.optional_static_tls: bytes
};
TlsTunables tls_tunables(std::string_view glibc_tunables, const LibcVersion&);

/// How many bytes a process keeps for what is opened later.
/// Source: glibc elf/dl-tls.c, _dl_tls_static_surplus_init.
std::uint64_t static_tls_reserve(const TlsTunables&);

/// Whether the static TLS block of the process has room for the initial-exec data of an object that a dlopen has
/// brought in: the block is made when the process starts, for what is there then and a reserve, and never grows.
/// What is needed is relocated before what needs it (relocation_order.h); where an object finds no room, those behind
/// it are not come to. What an earlier dlopen has taken stays taken. Source: glibc elf/dl-tls.c,
/// _dl_determine_tlsoffset; elf/dl-reloc.c, _dl_try_allocate_static_tls.
bool fits_static_tls(ObjectId, const Resolution&, const Abi&, const LibcVersion&, const TlsTunables&);

}  // namespace cudald

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <cudald/environment.h>

namespace cudald {

/// Calls `visit` with the name and the number of each pair of GLIBC_TUNABLES, in order, as glibc reads them: pairs
/// `name=value` between colons; since 2.39 a value that is not a number counts for nothing.
/// Source: glibc elf/dl-tunables.c, parse_tunables.
void visit_tunables(std::string_view glibc_tunables, const LibcVersion&,
                    const std::function<void(std::string_view name, std::uint64_t value)>& visit);

}  // namespace cudald

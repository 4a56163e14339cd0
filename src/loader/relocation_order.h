#pragma once

#include <cudald/resolution.h>

namespace cudald {

/// The objects that one start or dlopen brought in, in the order in which the loader relocates (and later initializes)
/// them: what is needed before what needs it. Source: glibc elf/dl-sort-maps.c, _dl_sort_maps_dfs; elf/rtld.c, dl_main.
SearchList relocation_order(const Resolution&, std::size_t target);

}  // namespace cudald

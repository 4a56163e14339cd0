#pragma once

#include <cudald/resolution.h>

namespace cudald {

/// Checks what the objects from `first` on want of others' versions and adds what fails to the resolution, in the words
/// of the loader. Source: glibc elf/dl-version.c, _dl_check_map_versions and match_symbol.
void find_version_problems(Resolution&, ObjectId first);

}  // namespace cudald

#pragma once

#include "check/fixes/missing_library.h"

namespace cudald {

/// The cause may be that the requester is for another CUDA than the one that is there: another build of it then needs
/// nothing else.
void add_build_for_installed_cuda(const MissingLibrary&);

}  // namespace cudald

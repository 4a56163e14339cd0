#pragma once

#include <string>

#include "check/fixes/missing_library.h"

namespace cudald {

/// For the file at which a search ends although it is there: a usable one has to come before it, or to take its place.
void add_mended_file(const MissingLibrary&, const Probe& unusable);

/// For a file whose note asks for a newer kernel than runs: only loaders of glibc before 2.36 mind.
void add_admitted_kernel(const MissingLibrary&, const std::string& path);

}  // namespace cudald

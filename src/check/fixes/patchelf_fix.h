#pragma once

#include <string>
#include <string_view>

#include <cudald/finding.h>

#include "package/package_tree.h"

namespace cudald {

/// Whether a RECORD lists the file with its hash: that of an installed wheel, or of one that is given.
bool has_record(const Object& file, const PackageTree&);

/// `patchelf OPTIONS FILE`, and what it breaks.
Fix patchelf_fix(std::string title, std::string_view options, const Object& file, const PackageTree&);

/// The option that adds a directory to the search path of a file, relative to it and of the kind that it has.
std::string add_rpath_option(const Object& file, const std::string& folder);

/// A further command for the same file: patchelf 0.14 mixes up several options of one command.
void add_patchelf_step(std::string_view options, const Object& file, Fix&);

}  // namespace cudald

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

}  // namespace cudald

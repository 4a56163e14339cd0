#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/world.h>

#include "cuda/providers.h"
#include "package/package_tree.h"
#include "package/requirement.h"

namespace cudald {

/// Whether pip, by these specifiers, takes a release that has the library: one of those in which it was seen, or a newer
/// one if the newest that was looked at has it. Source: pip takes the newest release that is allowed.
bool brings(const Provider&, std::string_view specifiers);

/// What the installed packages require in a Python with these marker values, each distribution once. `extras` are asked
/// of the packages numbered `asked`; other packages have the extras that others ask of them. What is at hand is followed
/// further; of what is not, and is known, so is what it is known to require.
std::vector<RequiredPackage> active_requirements(const PackageTree&, const std::set<std::size_t>& asked,
                                                 const MarkerValues&, const std::set<std::string>& extras);

/// A library that a distribution which is not at hand brings, and where in site-packages.
struct BroughtLibrary {
  std::string name, folder;
};

/// What a required distribution is known to bring, by the table of providers.
std::vector<BroughtLibrary> brought_by(const RequiredPackage&, bool windows);

}  // namespace cudald

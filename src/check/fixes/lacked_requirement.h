#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/finding.h>

#include "check/fixes/installer.h"

namespace cudald {

/// A requirement of the package of a file, which would bring a library, and which is not met.
struct LackedRequirement {
  std::string word;    ///< what to hand to Installer::install(): "libcudf-cu12==25.4.*"
  std::string reason;  ///< "pylibcudf 25.4 requires libcudf==25.4.*, which is not in the same site-packages"
};

/// Of the requirements of `package` that are not installed, or installed in a release that it does not allow, the one
/// that brings the library: one that is called like it, or like the project of one of its providers.
std::optional<LackedRequirement> lacked_requirement(const PackageName& package, const std::string& library,
                                                    const std::vector<std::string>& providers, const Installer&,
                                                    const FileSystem&);

}  // namespace cudald

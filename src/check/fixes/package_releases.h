#pragma once

#include <optional>
#include <string>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "check/findings/system_packages.h"
#include "knowledge/linux_names.h"

namespace cudald {

/// A library of which it is known that no package of this release of the system has it: it was dropped before, or came
/// later.
struct LackingRelease {
  LibraryReleases library;
  std::string system;     ///< "Ubuntu 22.04"
  std::string text;       ///< "no package of Ubuntu 22.04 has it: those of Ubuntu 18.04 to 21.10 had, as libssl1.1"
  PackagedRelease image;  ///< in which its package can be installed; without an image if none is known
};

/// nullopt where a package may have it.
std::optional<LackingRelease> lacking_release(const std::string& library, const SystemPackages&);

/// What runs a program where the package of the library is; the program is absolute and a program of Linux.
Fix container_fix(const LackingRelease&, const std::string& library, const std::string& program, const SystemPackages&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/file_system.h>
#include <cudald/finding.h>

#include "knowledge/windows_names.h"

namespace cudald {

/// The prefix of a system on Windows whose packages go together in which a file lies: "/msys64/mingw64"; empty if it
/// lies in none.
std::string rolling_prefix_of(const RollingPackages&, const std::string& path, const FileSystem&);

struct RollingFix {
  Fix fix;
  std::string half;  ///< "libicuin66.dll is there: ...", where another number of the DLL is; may be empty
};

/// What brings a DLL that a file of such a system needs and that is not there: the upgrade of all packages where
/// another number of it is there, else the package that has it. nullopt for a file of no such system.
std::optional<RollingFix> rolling_fix(const std::string& dll, const std::string& requester, const FileSystem&);

}  // namespace cudald

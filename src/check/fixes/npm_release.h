#pragma once

#include <optional>
#include <string>

#include <cudald/file_system.h>
#include <cudald/finding.h>

namespace cudald {

/// What installs an earlier release of the package of npm to which a compiled file belongs that was made elsewhere.
/// That of a platform, "@swc/core-linux-x64-gnu", is installed by the package that needs it. nullopt where it is of
/// none.
std::optional<Fix> earlier_release_of_npm(const std::string& path, const FileSystem&);

}  // namespace cudald

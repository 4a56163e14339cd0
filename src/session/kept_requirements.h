#pragma once

#include <optional>
#include <string>

#include <cudald/file_system.h>
#include <cudald/report.h>

#include "package/requirement.h"

namespace cudald {

/// A fix that also names what is installed and does not allow what it installs: `pip install 'numpy<2' scipy`, after
/// which pip takes a scipy for it. By itself pip leaves the scipy that needs a newer numpy where it is, and only warns
/// of it. nullopt if there is none, or the fix installs nothing.
/// Source: pip documentation, "Dependency resolution" and "pip check".
std::optional<Fix> with_requirers(const Fix&, const FileSystem&, const std::string& site, const MarkerValues&);

/// The same of each fix of a report on a failed import.
void keep_requirements(Report&, const FileSystem&);

}  // namespace cudald

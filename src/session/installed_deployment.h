#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/deployment.h>
#include <cudald/file_system.h>

namespace cudald {

/// Whether a folder is a virtual environment or one of conda, by what the tools that make them leave there.
bool is_environment(const std::string& folder, const FileSystem&);

/// The packages that are installed in such a folder, as a lock's would be after it was installed. It may be a copy of
/// one of Windows. nullopt if no Python is found in it.
std::optional<Deployment> plan_installed(const std::string& prefix, const FileSystem&,
                                         std::shared_ptr<const Knowledge>);

/// The questions: the modules of all top-level packages in one process, and those of each alone, if there are several.
/// `like` has all else.
std::vector<Query> installed_queries(const Deployment&, const std::string& prefix, const Query& like);

}  // namespace cudald

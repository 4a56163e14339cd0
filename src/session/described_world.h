#pragma once

#include <optional>
#include <string>

#include "session/platform.h"

namespace cudald {

/// Puts the described machine's variables and processor in the place of this one's; what the user states counts more.
void enter_described_environment(Query&);

/// Lets the tree be that of the described machine from now on. Of the given tree only the targets that are files, and
/// the folders of packages, can be seen in it.
void enter_described_world(RunState&);

/// Why a target cannot be asked about that is named by the path of a described file, and is not in the given tree.
std::optional<Error> described_elsewhere(const RunState&, const std::string& given);

}  // namespace cudald

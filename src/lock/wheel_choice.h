#pragma once

#include <string>
#include <vector>

#include "lock/lock_file.h"
#include "package/wheel_tags.h"

namespace cudald {

/// The wheel that an installer takes of one project: of the newest release that all specifiers allow and that has a
/// wheel for the environment and its Python, the one that it prefers. A release that is no final one, or was taken
/// back, only where nothing else is allowed, or `==` names it. nullptr: none. Sources: pip, package_finder.py; PEP 592.
const LockedFile* choose_wheel(const std::vector<LockedFile>&, const std::vector<std::string>& specifiers,
                               const WheelEnvironment&);

}  // namespace cudald

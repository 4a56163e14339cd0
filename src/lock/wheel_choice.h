#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lock/lock_file.h"
#include "package/wheel_tags.h"

namespace cudald {

/// The wheel that an installer takes of one project: of the newest release that all specifiers allow and that has a
/// wheel for the environment and its Python, the one that it prefers. A release that is no final one, or was taken
/// back, only where nothing else is allowed, or `==` names it. `until`: only what was uploaded up to that time, as
/// LockedFile::uploaded; empty: whenever. nullptr: none. Sources: pip, package_finder.py; PEP 592.
const LockedFile* choose_wheel(const std::vector<LockedFile>&, const std::vector<std::string>& specifiers,
                               const WheelEnvironment&, std::string_view until = {});

/// The wheel that an installer would have taken at a time; where none fitted yet, the first one that did after it.
/// nullptr: none, or the index does not say when they were uploaded.
const LockedFile* choose_wheel_at(std::string_view time, const std::vector<LockedFile>&,
                                  const std::vector<std::string>& specifiers, const WheelEnvironment&);

}  // namespace cudald

#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "check/fixes/whereabouts.h"
#include "package/package_tree.h"

namespace cudald {

/// The directories that LD_LIBRARY_PATH names with ~, as a shell would have replaced it.
std::vector<std::string> meant_by_tilde(const Environment&);

/// Of a library that lies where a faulty element of a search path was to lead: what is wrong with the element, and the
/// command that sets it right.
void tell_meant_directory(const Report&, const Object& requester, const std::vector<Whereabouts>&, const PackageTree&,
                          Finding&);

}  // namespace cudald

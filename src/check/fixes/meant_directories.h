#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "check/fixes/whereabouts.h"
#include "package/package_tree.h"

namespace cudald {

/// A directory that an element of LD_LIBRARY_PATH was to name, and why it does not.
struct MeantDirectory {
  std::string folder;
  std::string why;  ///< "names it with ~, which no shell has replaced: it was in quotes"
};

/// Those that are named with ~ or a variable that no shell has replaced, with blanks around them, or with a separator
/// that is none.
std::vector<MeantDirectory> meant_by_elements(const Environment&);

/// Of a library that lies where a faulty element of a search path was to lead: what is wrong with the element, and the
/// command that sets it right.
void tell_meant_directory(const Report&, const Object& requester, const std::vector<Whereabouts>&, const PackageTree&,
                          Finding&);

}  // namespace cudald

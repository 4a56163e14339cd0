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

/// Those that name a release that is gone, /opt/gcc/7.1.0/lib64, where another one has such a directory: of each the
/// newest. What installs a release in a directory of its number moves it with each upgrade.
struct RenumberedElement {
  std::string element;  ///< as LD_LIBRARY_PATH has it
  std::string folder;   ///< "/opt/gcc/7.2.0/lib64"
};
std::vector<RenumberedElement> renumbered_elements(const Environment&, ImageStore&);

/// LD_LIBRARY_PATH with the release that is there in the place of the one that is gone.
std::string export_renumbered(const Environment&, const RenumberedElement&);

/// Of a library that lies where a faulty element of a search path was to lead: what is wrong with the element, and the
/// command that sets it right.
void tell_meant_directory(const Report&, const Object& requester, const std::vector<Whereabouts>&, const PackageTree&,
                          Finding&);

}  // namespace cudald

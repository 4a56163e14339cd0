#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// What a question takes to be there beside the files that it is given.
enum class WorldKind {
  here,       ///< the tree: this machine, or the root of --sysroot
  tag,        ///< what the platform tag of a package promises, and what it requires
  described,  ///< a machine that a file describes
};

std::string_view to_string(WorldKind);

/// Where a library stands among what a package may count on beside its own files.
enum class Standing {
  own,          ///< a package at hand has it, where this search does not look
  promised,     ///< by the platform tag
  declared,     ///< a requirement is known to bring it
  driver,       ///< it comes with NVIDIA's driver
  added_later,  ///< it comes with the Visual C++ redistributable, which a fresh Windows does not have
  possible,     ///< a requirement may bring it of which it is not known what it brings
  python,       ///< Python's own library, which some builds of Python have
  undeclared,   ///< nothing brings it
};

/// "promised", as JSON spells it.
std::string_view to_string(Standing);

/// A distribution that a package requires in its world: its markers hold, and the extras are asked for.
struct RequiredPackage {
  std::string name;  ///< normal
  std::string specifiers, by;
  bool at_hand = false;                ///< it is one of the packages that were given
  std::vector<std::string> libraries;  ///< that it is known to bring, if it is not at hand
  std::vector<std::string> modules;    ///< likewise
  bool known = false;                  ///< it is known which those are
  std::string version;                 ///< that it is pinned to; empty: it is not
  std::string release;                 ///< that an installer chooses, as far as releases are known
  bool release_certain = false;        ///< false: or an older one, as not all that is required is known
};

/// Where an answer holds.
struct World {
  WorldKind kind = WorldKind::here;
  std::string name;    ///< "manylinux_2_28_x86_64", "win_amd64"; of a description, its file; empty: the tree
  std::string python;  ///< "3.11": the neutral Python of a tag
  std::vector<RequiredPackage> requirements;
};

}  // namespace cudald

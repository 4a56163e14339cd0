#pragma once

#include <string>
#include <vector>

#include "check/findings/checks.h"

namespace cudald {

/// A DLL that might be what was meant, in the tree and as Windows spells its directory.
struct NearDll {
  std::string path, folder;
  bool exact{};  ///< of the very name
};

/// DLLs of this name, then those whose name differs in the version at its end, for the machine of the process: in the
/// packages, the directories of what is loaded, and those that the question names. Of those of the very name only such
/// that have all that the requester imports from them, where one is given.
std::vector<NearDll> near_dlls(const Case&, const std::string& name, const Object* requester = nullptr);

/// How Windows spells the directory of a file of the tree.
std::string windows_folder_of(const Case&, const std::string& path);

}  // namespace cudald

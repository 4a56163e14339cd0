#pragma once

#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// An archive that apt takes packages from.
struct AptSource {
  std::string address;  ///< "http://archive.ubuntu.com/ubuntu", without a slash at its end
  std::vector<std::string> suites, components;
};

/// Those of a tree that have packages for installing, over HTTP, without a password in the address, and not switched
/// off. What cannot be read is left out: the list only makes a command fit the machine.
std::vector<AptSource> apt_sources(const FileSystem&);

}  // namespace cudald

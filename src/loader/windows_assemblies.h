#pragma once

#include <set>
#include <string>
#include <vector>

#include "env/windows_host.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Where a side-by-side assembly may lie.
struct AssemblyPlace {
  std::string folder;
  std::string name;        ///< of a file
  bool beginning = false;  ///< any file whose name, in lower case, begins so

  std::string path() const;
  bool operator==(const AssemblyPlace&) const = default;
};

/// The places that tell whether the assemblies are there for which the file's manifest asks. `folder` is that of the
/// file, as Windows spells it. Of a program its manifest 1 counts, of a DLL its manifest 2.
/// Source: Microsoft's "Assembly Searching Sequence" and "Using Side-by-side Assemblies as a Resource".
std::vector<AssemblyPlace> assembly_places(const Image&, const std::string& folder, const WindowsHost&);

/// "Microsoft.VC90.CRT 9.0.21022.8": the first of them that is missing; empty if none is. `there` are the paths of
/// those of its places that hold what they name.
std::string missing_assembly(const Image&, const std::string& folder, const WindowsHost&,
                             const std::set<std::string>& there);

}  // namespace cudald

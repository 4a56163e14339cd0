#pragma once

#include <string>

#include "env/windows_host.h"
#include "env/windows_tree.h"
#include "image/image_store.h"

namespace cudald {

struct Image;  // cudald/image.h

/// "Microsoft.VC90.CRT 9.0.21022.8": the first side-by-side assembly that the file's manifest asks for and that is not
/// there; empty if none is missing. `folder` is that of the file, as Windows spells it. Of a program its manifest 1
/// counts, of a DLL its manifest 2.
/// Source: Microsoft's "Assembly Searching Sequence" and "Using Side-by-side Assemblies as a Resource".
std::string missing_assembly(const Image&, const std::string& folder, const WindowsHost&, WindowsTree&, ImageStore&);

}  // namespace cudald

#pragma once

#include <cudald/knowledge.h>
#include <cudald/wheel.h>

#include "binary/image_store.h"
#include "package/package_tree.h"

namespace cudald {

/// Adds the DLLs that files of a wheel for Windows import, now or when they are first called, and that no file of the
/// wheel is named like; with who brings each. Files for another machine than that of its tags do not count.
/// `python_version` is "3.11", or empty if the wheel is for several.
void add_windows_libraries(const Package&, const PackageTree&, ImageStore&, const std::string& python_version,
                           const Knowledge&, WheelReport&);

}  // namespace cudald

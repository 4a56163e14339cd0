#pragma once

#include <cudald/report.h>

#include "package/package_tree.h"

namespace cudald {

/// Puts "x.whl!/member" for every path of the virtual installation in a finished report.
void show_package_paths(Report&, const PackageTree&);

}  // namespace cudald

#pragma once

#include "package/package_tree.h"

namespace cudald {

struct Report;  // cudald/report.h

/// Puts "x.whl!/member" for every path of the virtual installation in a finished report.
void show_package_paths(Report&, const PackageTree&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// What compiles a file again on the system where it is, if its place tells who compiled it there: an R package, an
/// add-on of node-gyp, a gem of Ruby, a distribution of Python that was not installed from a ready-made wheel. nullopt
/// for any other file, as for those that a package of conda has brought.
std::optional<Fix> build_again(const std::string& path, Store&);

}  // namespace cudald

#pragma once

#include <map>

#include <cudald/report.h>

#include "check/fixes/missing_library.h"

namespace cudald {

using FixesOfRequesters = std::map<ObjectId, RequesterFixes>;

/// Where objects miss several libraries: to the first of these findings, what helps against all of them.
void add_common_fixes(Report&, const FixesOfRequesters&, const FileSystem&);

}  // namespace cudald

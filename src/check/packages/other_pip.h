#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/finding.h>
#include <cudald/report.h>

namespace cudald {

/// Tells that the pip on PATH installs for another Python than the one that imports, and that this other one has the
/// module; nothing where PATH leads to no such pip.
void tell_other_pip(const Report&, const Import&, const std::string& module, const FileSystem&, Finding&);

}  // namespace cudald

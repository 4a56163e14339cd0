#pragma once

#include <string>
#include <string_view>

#include <cudald/finding.h>
#include <cudald/image.h>
#include <cudald/report.h>

namespace cudald {

/// What helps against a loader that refuses a file which is there and is a library: for its stack, the alignment of its
/// segments, the mount that it lies on, or because it is a program. `cause` is what the loader says of it. False: the
/// cause is another one, and nothing was added.
bool add_admission_fixes(const Report&, const Image&, const std::string& path, std::string_view cause, Finding&);

}  // namespace cudald

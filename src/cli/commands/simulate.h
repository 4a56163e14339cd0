#pragma once

#include <cudald/file_system.h>
#include <cudald/result.h>
#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

/// explain, check, tree and why: simulates, writes, and returns the exit status. Error{usage} if
/// nothing was analysed. `tree`: where targets are looked for, instead of what the options say.
Result<int> simulate(const Options&, const TextStyle&, const Host&, Output&, const FileSystem* tree = nullptr);

/// The same for show, which only reads files.
Result<int> show(const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

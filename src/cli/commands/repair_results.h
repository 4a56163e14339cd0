#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"
#include "repair/repaired_target.h"

namespace cudald {

/// The path of a result in a directory, as the directory was typed.
std::string path_in(const std::string& directory, std::string_view name);

/// Writes a whole file; it has its name when it is complete.
std::optional<Error> write_copy(const File&, const std::string& path);

/// Tells what was repaired, complains of what could not be read or edited, and gives the exit status: 0, 1 if a result
/// is not as good as its file, 3 if there is an error.
int tell_repaired(const std::vector<RepairedTarget>&, const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

#pragma once

#include <memory>
#include <vector>

#include <cudald/file_system.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "session/target.h"

namespace cudald {

/// Opens the tree that the options name: the machine, a folder, or an image in a tar. A target that is an image itself
/// becomes the program that it starts, and the options those for its tree: its variables and folder apply as
/// `docker run` would set them. Error{usage} with one line.
Result<std::unique_ptr<FileSystem>> open_tree(Options&, std::vector<Typed>& targets, const Host&);

}  // namespace cudald

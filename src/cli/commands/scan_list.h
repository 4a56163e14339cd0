#pragma once

#include <string>

#include <cudald/file_system.h>

#include "cli/options/options.h"
#include "scan/work_list.h"

namespace cudald {

/// The targets that the user named: files, what lies in folders, on the pages of a mirror or of an index, what locks
/// name, and the lines of texts. Error{usage} with one line.
Result<WorkList> make_work_list(const Options&, const FileSystem&, const std::string& cwd);
/// An empty list with all but the targets: what the list of a state folder must agree with.
WorkList announced_list(const Options&, const std::string& cwd);

}  // namespace cudald

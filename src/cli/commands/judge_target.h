#pragma once

#include <cstddef>
#include <string>

#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "scan/child_pool.h"
#include "scan/record.h"

namespace cudald {

/// Judges one target of a scan as `check -f ndjson` does and writes the answer to standard output: what a child process
/// of a scan does. One behind an address is read there, with --online. `folder`: from which relative paths are meant.
/// Returns the exit status.
int judge_target(const Options&, const TextStyle&, const Host&, const WorkItem&, const std::string& folder,
                 std::size_t threads);

/// What is kept of a target whose process has ended so.
ScanRecord record_of(const WorkItem&, EndedChild, const ChildLimits&);

}  // namespace cudald

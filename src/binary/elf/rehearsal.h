#pragma once

#include <cudald/file_system.h>

namespace cudald {

/// Reads of a file what simulating its load and binding its symbols reads, and forgets it. For archives that are read
/// in passes: they learn from it what to keep.
void read_all_tables(const File&);

}  // namespace cudald

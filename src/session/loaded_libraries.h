#pragma once

#include <cstddef>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>

#include "binary/cached_readings.h"
#include "process/process_record.h"
#include "pyimport/run_import.h"

namespace cudald {

/// What the code of packages' libraries, mapped since `first_object`, may open or import by itself: it is not followed.
/// What is found in large ones is kept.
std::vector<Unfollowed> requests_of_libraries(const ProcessRecord&, std::size_t first_object, const FileSystem&,
                                              const Knowledge&, const std::vector<ImportedModule>& imported,
                                              KeptReadings&);

}  // namespace cudald

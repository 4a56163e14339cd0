#pragma once

#include <cstddef>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>

#include "process/process_record.h"
#include "python/run_import.h"

namespace cudald {

/// What the code of packages' libraries, mapped since `first_object`, may open or import by itself: it is not followed.
std::vector<Unfollowed> requests_of_libraries(const ProcessRecord&, std::size_t first_object, const FileSystem&,
                                              const Knowledge&, const std::vector<ImportedModule>& imported);

}  // namespace cudald

#pragma once

#include <memory>
#include <string>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/query.h>

#include "repair/repaired_target.h"

namespace cudald {

/// A wheel that is repaired.
struct RepairedWheel {
  RepairedTarget target;             ///< `made` and `is_written` are left to the caller
  std::string name;                  ///< of the new file: its tag may be another one
  std::shared_ptr<const File> file;  ///< the new wheel; nullptr if there is none
};

/// Finds out what the author of a wheel has to change so that it loads with what it requires: search paths of its ELF
/// files, lines of Requires-Dist, its platform tag. The new wheel is judged as it would be installed, in the world of
/// its tag, before anything is written. No library is added. `query` is the question but for its target.
RepairedWheel repair_wheel(const std::string& given, const Query& query, const FileSystem&,
                           const std::shared_ptr<const Knowledge>&);

}  // namespace cudald

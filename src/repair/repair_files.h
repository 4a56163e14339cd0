#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/knowledge.h>
#include <cudald/query.h>
#include <cudald/report.h>

#include "rewrite/edit_elf.h"

namespace cudald {

/// One file that is repaired.
struct RepairedFile {
  std::string given, path;  ///< as it was named; without links
  ElfEdits edits;           ///< empty: nothing has to change
  EditedElf edited;         ///< the new file, if something has
  std::shared_ptr<const Image> old_image;
  Report before, after;
  std::vector<std::string> elsewhere;  ///< other files that fixes of explain change, with the reason
  std::optional<Error> error;          ///< it cannot be read, or not be edited safely
  std::string refusal;                 ///< why the result is not written; empty: it is at least as good as the file
};

/// Finds out what has to change in these files so that each loads, as the fixes of `explain` say, and judges the result
/// before anything is written: all files as they would be, each in a process of its own. `query` is the question but
/// for its target.
std::vector<RepairedFile> repair_files(const std::vector<std::string>& given, const Query& query, const FileSystem&,
                                       const std::shared_ptr<const Knowledge>&);

}  // namespace cudald

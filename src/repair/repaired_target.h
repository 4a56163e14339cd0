#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/finding.h>
#include <cudald/result.h>

#include "repair/repair_files.h"

namespace cudald {

/// One thing that a repair changes.
struct RepairChange {
  std::string file;           ///< in the target; empty: the target itself
  std::string what;           ///< "RUNPATH", "NEEDED"
  std::string before, after;  ///< empty: none
};

/// What a repair found and did, for those who show it.
struct RepairedTarget {
  std::string given;
  std::string made;  ///< where the result is, or would be; empty: there is none
  bool is_written = false;
  std::uint64_t growth = 0;  ///< bytes that the result has more than the file
  Verdict before = Verdict::unknown, after = Verdict::unknown;
  std::string before_headline, after_headline;
  std::vector<RepairChange> changes;
  std::vector<std::string> warnings;
  std::vector<std::string> elsewhere;  ///< what has to change in other files
  std::string refusal;                 ///< why nothing is written, though it could be read and edited
  std::optional<Error> error;          ///< it could not
};

/// The changes of one ELF file.
std::vector<RepairChange> described(const std::string& file, const Image& old, const ElfEdits&);
/// What there is to say of a repaired file; `made` and `is_written` are left to the caller.
RepairedTarget described(const RepairedFile&);

}  // namespace cudald

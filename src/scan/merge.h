#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "scan/work_list.h"

namespace cudald {

/// What a merge has come upon.
struct MergeResult {
  std::size_t taken = 0;                   ///< targets of which a record was handed on
  std::vector<std::string> missing;        ///< targets of the list without one
  std::vector<std::string> contradictory;  ///< targets with two reports that differ; the first by their bytes counts
  std::size_t twice = 0;                   ///< records that said the same once more, as after a takeover
  std::size_t foreign = 0;                 ///< records of what is not in the list, or of another size
};

/// Hands on one record for each target of the list, in the order of the list. Memory depends on the number of parts,
/// not on their size. Error{malformed} for a part that is damaged: what was handed on is then worth nothing.
Result<MergeResult> merge_records(const std::string& state, const WorkList&,
                                  const std::function<void(const std::string& line)>& take);

}  // namespace cudald

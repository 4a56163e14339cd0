#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scan/parts.h"
#include "scan/shards.h"
#include "scan/work_list.h"

namespace cudald {

// A state folder: list.ndjson, the folders of parts, and with --dynamic the tickets.

/// "STATE/list.ndjson"
std::string list_path(const std::string& state);
/// The list of a state folder; Error{absent} if it has none yet.
Result<WorkList> read_list(const std::string& state);
/// Makes it the list of the folder if there is none; the list that counts. `again`: it takes the place of another.
Result<WorkList> settle_list(const std::string& state, const WorkList&, bool again);

/// What is known of targets that were judged before, by target.
class DoneTargets {
 public:
  /// Reads the parts of a folder. Damaged ones are set aside, so that what they held is judged anew; their paths.
  std::vector<std::string> read(const std::string& folder);

  /// Whether there is a record of just these bytes. `judged`: one with a report.
  bool has(const WorkItem&, bool judged) const;
  std::size_t size() const { return done_.size(); }

 private:
  std::map<std::string, std::vector<RecordHead>> done_;
};

/// The folders of parts that a worker must know: its own, and those of workers that do not go by the same division.
std::vector<std::string> folders_for(const std::string& state, const Shard&);

}  // namespace cudald

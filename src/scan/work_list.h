#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// One target of a scan.
struct WorkItem {
  std::string target;  ///< as `check` takes it: a path, relative to the folder of the list or absolute, or an address
  std::uint64_t bytes = 0;  ///< 0 where nobody knows
  std::string sha256;       ///< where an index tells it; else empty
  bool operator==(const WorkItem&) const = default;
};

/// Everything that a scan is to judge, as the first worker found it. All workers go by this one list.
struct WorkList {
  std::vector<std::string> sources;   ///< what the user named
  std::string folder;                 ///< from which relative targets are meant
  std::string version;                ///< of the cudald that made it
  std::vector<std::string> question;  ///< the options that an answer depends on
  std::vector<WorkItem> items;        ///< by target, each once
};

std::uint64_t bytes_of(const std::vector<WorkItem>&);
/// By target, each once: of two with one name, the one of which more is known.
void make_canonical(std::vector<WorkItem>&);
/// Whether a target lies behind an address instead of on a disk.
bool is_remote(const WorkItem&);

/// A line about the list (schema cudald/scan-list 1.0), then one for each target.
std::string to_ndjson(const WorkList&);
Result<WorkList> work_list_of(std::string_view ndjson);

}  // namespace cudald

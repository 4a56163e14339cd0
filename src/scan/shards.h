#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scan/work_list.h"

namespace cudald {

/// One of the parts into which a work list is divided.
struct Shard {
  std::size_t index{};  ///< from 0
  std::size_t count{};
  bool operator==(const Shard&) const = default;
};

/// "2/7", counted from 1 as people count. Error{usage} with what is wrong.
Result<Shard> shard_of(std::string_view text);
/// "shard-2-of-7"
std::string name_of(const Shard&);

/// What a target costs beside its bytes, as bytes: starting a process for it, reading directories, writing the answer.
constexpr std::uint64_t fixed_cost = std::uint64_t{1} << 20;

/// For each item of a list its shard, below `count`. The same list and count give the same shards. Both the bytes and
/// the number of small targets are spread evenly.
std::vector<std::size_t> shards_of(const std::vector<WorkItem>&, std::size_t count);

/// The indices of one shard's items, the largest first: so that no worker is left with a large one at the end.
std::vector<std::size_t> items_of(const std::vector<WorkItem>&, const Shard&);
/// Indices of all items, the largest first; of equals, by target.
std::vector<std::size_t> largest_first(const std::vector<WorkItem>&);

}  // namespace cudald

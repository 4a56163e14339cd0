#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "scan/shards.h"

namespace cudald {

/// What starts many processes at once, and how it tells each of them which one it is.
struct Launcher {
  std::string_view name;           ///< "Slurm"
  std::string_view index;          ///< the variable with the number of the process
  std::string_view count;          ///< how many there are; empty: it does not tell
  std::size_t first = 0;           ///< what the first process is called,
  std::string_view first_in = {};  ///< unless this variable tells
  std::string_view step = {};      ///< by how much the numbers grow; empty: by 1
  std::string_view last = {};      ///< instead of `count`: the last number
};

using Variables = std::map<std::string, std::string>;

/// The shard that the launcher of this process wants of it; none if there is no launcher. `stated_count` is what
/// --shards says, and goes before what a launcher tells. Error{usage} where it remains open.
Result<std::optional<Shard>> shard_of_launcher(const Variables&, std::optional<std::size_t> stated_count);

}  // namespace cudald

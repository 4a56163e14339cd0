#pragma once

#include <cstdint>
#include <vector>

#include "base/toml.h"
#include "lock/readers.h"

namespace cudald {

// What pylock.toml and uv.lock have in common.

/// The whole number at "size"; 0 if there is none.
std::uint64_t size_at(const std::vector<TomlKey>& keys);

/// The packages in the tables of this name, each as `read_package` reads it. Errors: its own; limit if there are too
/// many.
Result<std::vector<LockedPackage>> read_packages(const std::vector<TomlKey>& keys, std::string_view name,
                                                 Result<LockedPackage> (*read_package)(const TomlKey&));

}  // namespace cudald

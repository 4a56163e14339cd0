#pragma once

#include <optional>
#include <string>

#include <cudald/finding.h>

#include "binary/image_store.h"

namespace cudald {

/// What lets PHP load one of its modules before another one that takes functions from it, by the files of settings that
/// name the two. nullopt if no directory of settings names the second one.
std::optional<Fix> earlier_php_module(const std::string& first, const std::string& second, ImageStore&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/finding.h>

#include "binary/image_store.h"

namespace cudald {

/// What lets PHP load one of its modules before another one that takes functions from it, by the files of settings that
/// name the two. nullopt if no directory of settings names the second one.
std::optional<Fix> earlier_php_module(const std::string& first, const std::string& second, ImageStore&);
/// What gives the files of settings that name a module a name behind all others; empty if none names it, or if they
/// have one.
std::string php_module_behind(const std::string& module, ImageStore&);

}  // namespace cudald

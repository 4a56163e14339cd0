#pragma once

#include <string>
#include <vector>

#include <cudald/finding.h>

#include "binary/image_store.h"

namespace cudald {

/// What brings a module of Lua together with the program that opens it, where the module's directory,
/// ".../lua/5.1/x.so", is that of another release than the library or program that has the functions of Lua: the
/// interpreter of the module's release, or the module built for the release of the program. Empty if the releases are
/// not known or alike.
std::vector<Fix> other_lua(const std::string& module, const std::string& lua, const std::string& program, ImageStore&);

}  // namespace cudald

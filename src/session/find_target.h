#pragma once

#include <optional>
#include <string>
#include <vector>

#include "binary/image_store.h"

namespace cudald {

struct Query;  // cudald/query.h

/// Where a target lies: the path as given if it holds a slash or exists in the current folder; else a program of the
/// prefix or of PATH, or a library in the prefix's site-packages. Nullopt if only the loader's own search
/// can tell.
std::optional<std::string> find_target(const std::string& given, const Query&, ImageStore&);

/// The executable files of that name in the folders of the simulated process's PATH, in their order.
std::vector<std::string> programs_on_path(const std::string& name, const Query&, const FileSystem&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>

#include <cudald/report.h>

#include "fs/image_store.h"

namespace cudald {

/// Where a target lies: the path as given if it holds a slash or exists in the current folder; else a program of
/// PATH, or a library or extension module of the prefix's site-packages. Nullopt if only the loader's own search
/// can tell.
std::optional<std::string> find_target(const std::string& given, const Query&, ImageStore&);

/// The site-packages folders of a venv or conda environment.
std::vector<std::string> site_packages(const std::string& prefix, const FileSystem&);

}  // namespace cudald

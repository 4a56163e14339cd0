#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "binary/image_store.h"

namespace cudald {

/// The site-packages folder that a path lies in, with a slash at its end, as a shell can use it; empty if it is in
/// none. That of what is installed virtually is $site/, which export_search_path() sets.
std::string site_folder(const std::string& path);

/// A folder for a shell. What is installed virtually lies where pip will put it.
std::string shell_folder(const std::string& folder);

/// The command that makes folders of shell_folder() part of the search; `python` knows where pip puts things.
std::string export_search_path(std::vector<std::string> folders, const std::string& python = "python3");

/// The environment of conda that a path lies in; empty if it lies in none.
std::string conda_prefix_around(std::string_view path, ImageStore&);

}  // namespace cudald

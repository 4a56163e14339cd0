#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// The name at the beginning of a text, with its scope: "@swc/core" of "@swc/core/binding.js:333:11)".
std::string npm_name_at(std::string_view text);

/// A package of npm by the place of one of its files, whose path has slashes.
struct NpmPackage {
  std::string name;    ///< "@swc/core"
  std::string folder;  ///< "/app/node_modules/@swc/core"
  std::string root;    ///< "/app", the directory of the node_modules that it is in
};

/// The innermost package that a file lies in; nullopt if it is in no node_modules, or in none of its directories.
std::optional<NpmPackage> npm_package_of(const std::string& path);

}  // namespace cudald

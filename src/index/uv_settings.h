#pragma once

#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/result.h>

namespace cudald {

struct UvIndex {
  std::string name;          ///< may be empty
  std::string url;           ///< may hold a login
  bool is_default = false;   ///< it is asked last
  bool is_explicit = false;  ///< for packages alone that name it
  bool always = false;       ///< it wants a login, which is asked for before the first request
};

struct UvSettings {
  std::vector<UvIndex> indexes;  ///< in the order in which they are asked, but for the default
  std::string strategy;          ///< index-strategy; empty: the usual one
  std::string keyring = {};      ///< keyring-provider; empty: none
};

/// What uv is told in files: those of the project in a folder or above it (uv.toml, else [tool.uv] of pyproject.toml),
/// of the user, of the system. The earlier ones come first. Error{usage} if one is no TOML. Source: uv's documentation,
/// "Configuration files", "Package indexes".
Result<UvSettings> read_uv_settings(const std::string& folder, const Environment&, const FileSystem&);

}  // namespace cudald

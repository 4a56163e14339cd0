#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

namespace cudald {

/// Where packages come from, as pip and uv have been told.
struct IndexSettings {
  std::vector<std::string> indexes;  ///< addresses without a slash at their ends; empty: none is named
  std::string ca_file, proxy;        ///< may be empty
  std::optional<std::chrono::seconds> timeout;
};

/// By the variables of uv and pip, then pip's configuration files. Source: pip's documentation, "Configuration"; uv's,
/// "Environment variables".
IndexSettings read_index_settings(const Environment&, const FileSystem&);

}  // namespace cudald

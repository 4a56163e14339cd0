#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "net/address.h"

namespace cudald {

/// Where packages come from, as pip and uv have been told.
struct IndexSettings {
  std::vector<std::string> indexes;     ///< addresses without logins and slashes at their ends; empty: none is named
  std::map<std::string, Login> logins;  ///< that stood in these, by origin_of()
  std::string ca_file, proxy;           ///< may be empty
  std::string plain_proxy;              ///< for http alone
  std::string netrc_file;               ///< empty: the one in the user's home
  std::optional<std::chrono::seconds> timeout;
};

/// By the variables of uv and pip, then pip's configuration files. Source: pip's documentation, "Configuration"; uv's,
/// "Environment variables";
/// of proxies and netrc, that of Requests, which pip uses.
IndexSettings read_index_settings(const Environment&, const FileSystem&);

}  // namespace cudald

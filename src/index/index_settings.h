#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "index/uv_settings.h"
#include "lock/lock_file.h"
#include "net/address.h"

namespace cudald {

/// What a setting says of a keyring.
struct KeyringProvider {
  std::string name;                  ///< "subprocess" and the like; empty: nothing is said of it
  std::string setting;               ///< what says it, as "PIP_KEYRING_PROVIDER"
  bool is_of_uv = false;             ///< else of pip
  std::vector<std::string> indexes;  ///< as they are stated, without logins
  std::vector<std::string> always;   ///< those of which a login is asked for without the name of a user
};

/// Where packages come from, as pip and uv have been told.
struct IndexSettings {
  std::vector<std::string> indexes;  ///< addresses without logins and slashes at their ends; empty: none is named
  bool first_alone = false;          ///< the first index that knows a project counts, as for uv; else all, as for pip
  std::map<std::string, Login> logins;  ///< for these, by origin_of()
  std::string ca_file, proxy;           ///< may be empty
  std::string plain_proxy;              ///< for http alone
  std::string netrc_file;               ///< empty: the one in the user's home
  std::optional<std::chrono::seconds> timeout;
  KeyringProvider keyring;
};

/// By the variables of uv and pip, then the files of both. Source: pip's documentation, "Configuration"; uv's,
/// "Environment variables"; of proxies and netrc, that of Requests, which pip uses.
IndexSettings read_index_settings(const UvSettings&, const Environment&, const FileSystem&);

/// Without the ${VARIABLES} that are set. Source: pip, _internal/req/req_file.py, expand_env_variables.
std::string with_variables(std::string_view text, const Environment&);

/// With the indexes that a file of requirements names; its ${VARIABLES} are those of the environment.
void add_locked_indexes(const LockedIndexes&, const Environment&, IndexSettings&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "machine/abi.h"
#include "machine/ld_so_cache.h"

namespace cudald {

/// What one root's glibc knows before it looks for the first library, read out of that root's files.
struct GlibcFacts {
  LibcVersion version;
  bool version_known = false;  ///< else it is assumed, as are the folders
  bool folders_known = false;
  std::vector<std::string> system_folders;  ///< built into ld.so, in order
  std::string lib_token;                    ///< what $LIB means
  std::optional<LdSoCache> cache;
  std::string own_cache;                  ///< where the loader reads its cache, if that is not /etc/ld.so.cache
  std::vector<std::string> conf_folders;  ///< of ld.so.conf; filled only where there is no cache
  std::vector<std::string> preload;       ///< /etc/ld.so.preload
  std::vector<std::string> notes;         ///< what had to be assumed, one sentence each
  std::vector<std::string> limits;        ///< what was not read, as a limit was reached, likewise
};

/// Reads ld.so's own strings (version, folders), the cache or ld.so.conf, and ld.so.preload.
/// `interpreter` is the path that PT_INTERP names.
GlibcFacts read_glibc_facts(const FileSystem&, const std::string& interpreter, const Abi&, const Environment&);

}  // namespace cudald

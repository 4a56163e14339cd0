#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <cudald/file_system.h>

#include "base/path.h"

namespace cudald {

/// A file that an installed package of Alpine has.
struct ApkFile {
  std::string package, origin;  ///< "libpq-11", and of what "postgresql-11" was built into
  std::string path;
};

/// Hands over the files that apk has installed until `visit` returns true; whether it did. Source: apk-tools, apk-v2
/// installed database: P: name, o: origin, F: directory, R: file.
template <typename Visit>
bool visit_apk_files(const FileSystem& files, const Visit& visit) {
  constexpr std::uint64_t most_records = 1 << 26;
  for (const auto* database : {"/lib/apk/db/installed", "/usr/lib/apk/db/installed"}) {
    if (!files.status(database)) continue;
    const auto text = read_file(files, database, most_records);
    if (!text) continue;
    ApkFile file;
    std::string folder;
    for (const auto line : split(*text, "\n")) {
      const auto value = line.substr(std::min<std::size_t>(line.size(), 2));
      if (line.starts_with("P:")) file = {std::string(value), "", ""};
      if (line.starts_with("o:")) file.origin = value;
      if (line.starts_with("F:")) folder = "/" + std::string(value) + "/";
      if (!line.starts_with("R:")) continue;
      file.path = folder + std::string(value);
      if (visit(file)) return true;
    }
  }
  return false;
}

}  // namespace cudald

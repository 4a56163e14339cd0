#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <cudald/file_system.h>
#include <cudald/image.h>
#include <cudald/knowledge.h>
#include <cudald/request.h>

namespace cudald {

class ImageStore;  // binary/image_store.h

// What code opens by itself, as a table knows it (data/known-dlopens.json).

struct KnownDlopen {
  DlopenRequest call;                ///< made later, unless its constructors make it
  bool by_path = false;              ///< the name is a path, not one to be searched
  bool altered_search_path = false;  ///< of LoadLibraryEx
  bool only_if_held = false;         ///< only releases open it that hold its pieces
};

/// Whether the file is one that opens it.
bool is_opened_by(const KnownDlopen&, const std::string& path, const Image&, const ImageStore&);

/// What a library opens, known by its soname or, if it has none, by the end of its path. `path` is where it lies; files
/// beside it tell the versions. Empty if nothing is known, or the versions are not found.
std::vector<KnownDlopen> known_dlopens(std::string_view soname, const std::string& path, const FileSystem&,
                                       const Knowledge&);
/// The same by another table.
std::vector<KnownDlopen> known_dlopens(const nlohmann::json& known_rows, std::string_view soname,
                                       const std::string& path, const FileSystem&, const Knowledge&);

/// The files of packages for Windows, as paths below site-packages, of which the table knows that they load something.
std::vector<std::string> files_with_known_loads(const Knowledge&);

/// What such a file loads in this site-packages.
std::vector<KnownDlopen> known_loads(std::string_view file, const std::string& site, const FileSystem&,
                                     const Knowledge&);

}  // namespace cudald

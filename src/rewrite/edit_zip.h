#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <cudald/file_system.h>

#include "archive/zip_directory.h"
#include "rewrite/new_file.h"
#include "rewrite/new_member.h"

namespace cudald {

/// What becomes of members of an archive, by their index; nullopt: it is left out.
using ZipEdits = std::map<std::size_t, std::optional<NewMember>>;

/// An archive with other content in some members. All others are copied as they are, with their compressed bytes, in
/// the order in which they lie in the file. Names, times and permissions stay. An Error says why the archive cannot be
/// edited safely: two readers may see different files in it, or some are not read.
Result<std::vector<Piece>> edit_zip(const File& archive, const ZipDirectory&, const ZipEdits&);

}  // namespace cudald

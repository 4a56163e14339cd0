#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "binary/image_store.h"
#include "check/fixes/whereabouts.h"

namespace cudald {

/// Who names a preload: "LD_PRELOAD" or "/etc/ld.so.preload".
std::string source_of_preload(const Report&, const std::string& name);
/// "LD_PRELOAD names /usr/local/lib, which is a directory": why it is ignored.
std::string preload_sentence(const Report&, const Edge&, ImageStore&);
/// What the loader writes about it.
std::string preload_consequence(const Report&, const Edge&);
/// What corrects the variable or the file that names it: nothing that is named there is touched.
void add_preload_fixes(const Report&, const Edge&, const std::vector<Whereabouts>&, ImageStore&, Finding&);

/// Of a library that is there and lacks what it needs: the program does not start, as that of a preload is not passed
/// over. What leaves it out; nullopt if the object is no preload.
std::optional<Fix> without_preload(const Report&, ObjectId);

}  // namespace cudald

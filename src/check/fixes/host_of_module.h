#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "check/findings/lacking_library.h"

namespace cudald {

/// Of a function of C that nothing defines, the file of the process that should have it, though the asker does not name
/// it: the program that opens a plug-in, as nginx has ngx_log_error for its modules, or a library of that program. The
/// asker uses others of its functions.
std::optional<LackingLibrary> lacking_host(const Case&, const Object& asker, const std::string& symbol);

/// The names that a file refers to and does not define.
std::set<std::string, std::less<>> references_of(const Case&, const Object&);

/// Files of the same name in other installations of what a file belongs to: bin/postgres in lib/postgresql/14 beside
/// lib/postgresql/13, and libperl.so.5.34 beside libperl.so.5.36. Of each at most as many as somebody would read.
std::vector<std::string> in_other_installations(const std::string& path, ImageStore&);

}  // namespace cudald

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "archive/zip_problem.h"

namespace cudald {

/// Tells what is wrong with a member's name by itself. `marked_utf8`: the flag for it is set.
void check_zip_name(std::string_view name, bool marked_utf8,
                    const std::function<void(ZipProblemKind, std::string)>& report);

/// Whether every extractor would write this name as it is, below the folder that it extracts to: it is relative,
/// without `..`, backslash, drive letter and control characters, not empty, and not too long for a file system.
bool is_safe_zip_name(std::string_view name);

/// The name without empty parts and `.`, which lead to the same file: "./a//b/" -> "a/b".
std::string plain_zip_name(std::string_view name);

}  // namespace cudald

#pragma once

#include <optional>

#include "check/findings/checks.h"

namespace cudald {

/// Of two DLLs that a program opens one after the other, each with DLLs of the same names beside it: where the copies
/// of the second serve both, to open that one first. `loaded` is the copy that answers, and `user` the file that misses
/// a function of it; nullopt where the copies do not serve both, or one file brings in the other.
std::optional<Fix> other_load_order(const Case&, const Object& loaded, const Object& user);

}  // namespace cudald

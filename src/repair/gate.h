#pragma once

#include <optional>
#include <string>

#include <cudald/report.h>
#include <cudald/result.h>

namespace cudald {

/// Why the answer after a repair is worse than the one before: its verdict is, or there is a new error or warning.
/// Empty if it is at least as good.
std::string worse_than_before(const Report& before, const Report& after);

/// Something that the answer depends on cannot be read, so that it proves nothing of a result. nullopt: all was read.
std::optional<Error> unread(const Report&);

}  // namespace cudald

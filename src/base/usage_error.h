#pragma once

#include <string>
#include <utility>

#include <cudald/result.h>

namespace cudald {

/// What was typed cannot be answered: one line for stderr and exit status 2.
inline Error usage_error(std::string message) { return {ErrorCode::usage, std::move(message)}; }

}  // namespace cudald

#pragma once

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include <cudald/result.h>

#include "os/linux_errors.h"

namespace cudald {

/// The Error of what a file system refuses, by its errno.
inline Error error_of_errno(int number, std::string_view path) {
  const bool absent = number == ENOENT || number == ENOTDIR;
  return {absent ? ErrorCode::absent : ErrorCode::unreadable, linux_error_text(number), std::string(path), std::nullopt,
          number};
}

}  // namespace cudald

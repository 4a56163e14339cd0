#pragma once

#include <string_view>

namespace cudald {

/// Whether a function may be one of the CUDA runtime, by its name or how that begins.
inline bool is_runtime_function(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__cuda");
}

}  // namespace cudald

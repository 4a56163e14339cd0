#pragma once

#include <ostream>
#include <string_view>

namespace cudald {

/// A completion script for "bash", "zsh" or "fish".
void write_completion(std::string_view shell, std::ostream&);

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The text as one word of a POSIX shell, quoted where it has to be. What a terminal must not show
/// as it is stands in it as $'\x1b' (bash, zsh, ksh; POSIX since 2024), so that a command can be
/// printed and pasted.
std::string shell_word(std::string_view text);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// The text as one word of a POSIX shell, quoted where it has to be. What a terminal or a log must not show as it is
/// (escaped()) stands in it as $'\x1b' (bash, zsh, ksh; POSIX since 2024), so that a command can be printed and pasted.
std::string shell_word(std::string_view text);

/// The text between double quotes: one word of cmd.exe, or behind r a literal of Python. No name of Windows holds a
/// quote or a control character, but names in files may: a quote becomes a question mark, the others are escaped.
std::string windows_word(std::string_view text);

/// The words of a command of a POSIX shell, or of cmd.exe, that means the same in every shell: nullopt where the shell
/// puts something in, or runs more than one command.
std::optional<std::vector<std::string>> plain_words(std::string_view line, bool windows);

}  // namespace cudald

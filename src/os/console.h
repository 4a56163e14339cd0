#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cudald {

/// Whether a descriptor is that of a terminal.
bool is_terminal(int descriptor);
/// How many characters fit on a line of it; 0 if it does not say.
std::size_t columns_of_terminal(int descriptor);
/// Whether terminals show UTF-8, where that does not hang on the locale.
std::optional<bool> terminals_show_utf8();

/// Lets the console of Windows understand colours, until `leave_console`. Terminals of Linux always do.
void enter_console();
void leave_console();

/// Writes to a descriptor as write(2) does, all of it; 0 or errno. To a console of Windows as text.
int write_all(int descriptor, std::string_view);

}  // namespace cudald

#pragma once

#include <optional>

#include <cudald/finding.h>
#include <cudald/message.h>

namespace cudald {

/// What brings the DLL that a message names and that Windows does not find, where data/windows.json knows it; the
/// reading says then what the DLL is. The message tells neither the program nor its word size. nullopt for any other.
std::optional<Fix> dll_help(MessageReading&);

/// The same of a DLL of which nothing is known: it belongs to the program.
std::optional<Fix> help_for_own_dll(const MessageReading&);

}  // namespace cudald

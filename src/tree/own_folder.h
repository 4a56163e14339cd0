#pragma once

#include <string>

namespace cudald {

/// Why a folder is not for what only its owner may change, be it there or not yet; empty if all is well. It belongs to
/// the user, those above it, links followed, to the user or to root; it and the one above it are no links; and nobody
/// else may write to any of them, but to a sticky folder as /tmp, where one's own entries stay.
/// Source: sshd(8), StrictModes.
std::string distrust_of(const std::string& folder);

/// Makes a folder and those above it that are not there, for the user alone. False if that fails.
bool make_own_folders(const std::string& path);

}  // namespace cudald

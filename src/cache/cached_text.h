#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cudald {

/// The text that was kept for a key below a folder of this machine's disk, if it is there, whole, and not longer than
/// that.
std::optional<std::string> kept_text(const std::string& folder, const std::string& key, std::uint64_t most_bytes);

/// Keeps it in the place of what was there. False if it cannot be written.
bool keep_text(const std::string& folder, const std::string& key, const std::string& text);

}  // namespace cudald

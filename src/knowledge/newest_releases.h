#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The newest release that pip takes of a distribution for a Python, "3.11", on Linux on x86-64. `distribution` is the
/// normal name. Empty if none is known. Source: data/newest-releases.json.
std::string newest_release(std::string_view distribution, std::string_view python);

}  // namespace cudald

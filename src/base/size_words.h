#pragma once

#include <cstdint>
#include <string>

namespace cudald {

/// A number of bytes as people say it: "12 kB", "900 MB", "4.1 GB" (of 1,000).
std::string size_words(std::uint64_t bytes);

}  // namespace cudald

#pragma once

#include <string_view>

namespace cudald {

// What was read, apart from the tables that were made of it, as files of tests/cuda/ (tools/embed.py).

std::string_view embedded_pinned_directories();  ///< pinned-directories.txt
std::string_view embedded_pinned_drivers();      ///< drivers.txt

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The release of CPython that writes bytecode which begins like that: "3.8"; empty if it is none that is known.
std::string python_of_bytecode(std::string_view first_bytes);

}  // namespace cudald

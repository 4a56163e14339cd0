#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The release of CPython that writes bytecode which begins like that: "3.8"; empty if it is none that is known.
std::string python_of_bytecode(std::string_view first_bytes);
/// The minor release of Python that takes the grammar of a source, where the given one is too old for it: 12 for 3.12;
/// 0 if it is not, or it is not known.
int first_python_of_source(std::string_view text, std::string_view version);

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>

namespace cudald::python {

/// The encoding that a source names in a comment of its first two lines, in lower case with '-' for '_' ("utf-8",
/// "latin-1"); "" if it names none, so that it is in UTF-8. Source: PEP 263; CPython Parser/tokenizer/helpers.c.
std::string source_coding(std::string_view text);
/// Whether that is UTF-8 or a part of it.
bool is_utf8(std::string_view coding);

}  // namespace cudald::python

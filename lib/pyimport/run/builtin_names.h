#pragma once

#include <string_view>

namespace cudald::python {

/// Whether Python has this name of itself, in any of its versions, or site.py gives it.
bool is_builtin_name(std::string_view name);
/// Whether it is that of an exception that Python has of itself.
bool is_builtin_exception(std::string_view name);
/// Whether an exception of this class is one of that class, too; both are Python's own.
bool is_kind_of(std::string_view kind, std::string_view handled);

}  // namespace cudald::python

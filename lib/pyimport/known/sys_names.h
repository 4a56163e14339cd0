#pragma once

#include <string_view>

namespace cudald::python {

/// Whether sys has a name of itself, in some release or on some system.
bool is_name_of_sys(std::string_view name);

}  // namespace cudald::python

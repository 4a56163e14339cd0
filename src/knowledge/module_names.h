#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// The distribution that brings a module which is not called like it: "beautifulsoup4" for "bs4". Empty if none is
/// known. Source: data/module-names.json.
std::string distribution_called_otherwise(std::string_view module);

}  // namespace cudald

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A distribution that carries a library, and where in site-packages it puts it.
struct Provider {
  std::string distribution, version, folder;
  std::string requirement;  ///< what to hand to pip: the name, or the name with a version that still has the file
};

/// Which distributions of the Python package index carry exactly this file name (data/providers.json), for Windows in any
/// case; empty if none is known.
std::vector<Provider> providers_of(std::string_view library);

/// Where that table comes from, for the evidence: the file and the day on which it was checked.
std::string providers_source();

}  // namespace cudald

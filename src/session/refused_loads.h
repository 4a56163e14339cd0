#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cudald/resolution.h>

namespace cudald {

/// Loads that fail though all files are found, as a symbol is missing: by the name that is asked for, and how often it
/// was asked for before; with what the loader says. That is known only when everything is loaded.
using RefusedLoads = std::map<std::pair<std::string, std::size_t>, std::string>;

/// How often Python code asks for a name in the first `before` requests.
std::size_t times_asked(const std::vector<Target>&, const std::string& name, std::size_t before);
/// Those of the refused requests whose failure Python code is ready to catch: what it does then is to be followed.
RefusedLoads refused_attempts(const std::vector<Target>&, const std::set<std::size_t>& refused);

}  // namespace cudald

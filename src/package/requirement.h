#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cudald {

/// One line of Requires-Dist: `name[extra,...] specifiers ; marker`. Source: PEP 508.
struct Requirement {
  std::string name;  ///< normal, as normal_distribution_name() gives it
  std::set<std::string> extras;
  std::string specifiers;  ///< ">=1.2,<2"; empty: any version
  std::string marker;      ///< empty: always
};

/// nullopt for what is none, for a requirement by address (`name @ https://...`), and for more than
/// most_requirement_bytes.
std::optional<Requirement> parse_requirement(std::string_view line);

/// What markers ask for: "python_version" -> "3.11". The sets `extras` and `dependency_groups` of lock files, which
/// have only "in" and "not in" (PEP 751), are normal names, each between line feeds: "\ncuda12\n".
using MarkerValues = std::map<std::string, std::string, std::less<>>;

/// The values in CPython `python_version` ("3.11") on Linux.
MarkerValues linux_marker_values(const std::string& python_version, const std::string& machine);

/// The same on Windows, where `machine` is "AMD64".
MarkerValues windows_marker_values(const std::string& python_version, const std::string& machine);

/// Whether a marker holds, with `extras` asked for. What cannot be read holds.
bool holds(std::string_view marker, const MarkerValues&, const std::set<std::string>& extras);

}  // namespace cudald

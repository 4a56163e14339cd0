#pragma once

#include <optional>
#include <string>

namespace cudald {

/// Releases of Debian that are known to have a library in a directory of the system. One before or after them may have
/// it as well, but for those that the table has all of.
struct DebianLibrary {
  int first = 0, last = 0;  ///< 11, 13
  std::string package;      ///< in `first`: "libpcap0.8"
  bool renamed = false;     ///< "libpcap0.8t64" from Debian 13 and Ubuntu 24.04 on
  std::string source;       ///< with the day on which it was checked
};

/// nullopt if nothing is known of the library.
std::optional<DebianLibrary> debian_library(const std::string& library);

/// What the package of a library is called in a release of "debian" or "ubuntu"; empty if it is not known to have one.
/// A release of Ubuntu has what the releases of Debian before and after it have.
std::string debian_package(const DebianLibrary&, const std::string& system, const std::string& release);

/// Whether it is known that no package of a release of Debian has the library any more: the first of the releases whose
/// files are known had it, and the next one did not.
bool is_dropped_by_debian(const DebianLibrary&, const std::string& release);

/// Whether a release of "debian" or "ubuntu" came before the library: the releases of Debian that are known and came
/// after it did not have it yet.
bool came_after(const DebianLibrary&, const std::string& system, const std::string& release);

/// Whether a release of "debian" or "ubuntu" came before all that are known, and the first of these has the library: it
/// may have had it as well, by the same name.
bool may_be_older(const DebianLibrary&, const std::string& system, const std::string& release);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "knowledge/providers.h"
#include "store/store.h"

namespace cudald {

/// The releases of a distribution that have what a package needs, where it looks for it.
class RequirementRange {
 public:
  /// The releases that have a library in the provider's directory: from the oldest one that was seen up to the next
  /// major version, or to the last one that has it.
  explicit RequirementRange(const Provider&);

  const std::string& distribution() const { return distribution_; }
  /// No release before this one; empty says nothing.
  void at_least(const std::string& version);
  /// Only releases that both allow.
  void narrow(const RequirementRange&);
  /// "nvidia-cublas>=13.0.0.19,<14", as Requires-Dist has it.
  std::string text() const;

 private:
  std::string distribution_, least_;
  std::optional<std::string> most_;  ///< the last release that has it, if newer ones do not
  int next_major_ = 0;
};

/// The first release of a library that has all functions which a file takes from it; empty if nothing is known of them,
/// or all releases have them.
std::string oldest_release_for(const Object& file, const std::string& library, Store&, const Knowledge&);

/// How the author of a package lets one of its files search a directory below site-packages. Nothing for a program in
/// bin/: the way from there to site-packages has the release of the Python in it.
std::optional<FileEdit> searched_directory(const Object& file, const std::string& folder);

/// The same on Windows: lines for the package's __init__.py. Empty for a module that is in no package.
std::string dll_directory_lines(const std::string& path, const std::vector<std::string>& folders);

}  // namespace cudald

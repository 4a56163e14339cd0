#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lock/lock_file.h"

namespace cudald {

/// What indexes have answered: which wheels there are of a package. Where its lock states hashes, these name the same
/// files for ever; else the answer is good for as long as the index says.
class KeptWheels {
 public:
  using Time = std::chrono::sys_seconds;

  /// Nothing is kept without a folder. `indexes` says which are asked, and how.
  KeptWheels(std::string folder, std::string indexes, Time now);

  /// The wheels of a package; nullopt if they must be asked for.
  std::optional<std::vector<LockedFile>> find(const LockedPackage&) const;
  /// Keeps the wheels that a package was given, if that is worth anything.
  void keep(const LockedPackage&, std::chrono::seconds fresh_for) const;

 private:
  std::string key_of(const LockedPackage&) const;

  std::string folder_, indexes_;
  Time now_;
};

}  // namespace cudald

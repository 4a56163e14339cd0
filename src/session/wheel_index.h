#pragma once

#include <string>
#include <vector>

#include <cudald/result.h>

#include "lock/lock_file.h"

namespace cudald {

/// Where a session finds the wheels that a command would install.
class WheelIndex {
 public:
  virtual ~WheelIndex() = default;
  /// All wheels of a project, by its normal name. Error: there are none, or they cannot be asked for.
  virtual Result<std::vector<LockedFile>> wheels_of(const std::string& project) = 0;
  /// Where one of them can be read in the tree of the session.
  virtual std::string reach(const LockedFile&) = 0;
};

}  // namespace cudald

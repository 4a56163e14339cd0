#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/result.h>

#include "lock/lock_file.h"
#include "package/requirement.h"
#include "package/wheel_tags.h"

namespace cudald {

/// The machine and Python for which it is chosen, and what is wanted of the project.
struct LockEnvironment {
  WheelEnvironment wheels;
  MarkerValues markers;
  std::string conda_platform;  ///< "linux-64"
  std::set<std::string> extras, groups;
};

LockEnvironment make_lock_environment(const WheelEnvironment&, std::set<std::string> extras,
                                      std::set<std::string> groups);

/// A package that is installed there.
struct ChosenPackage {
  std::string name, version;
  LockedFile file;            ///< the wheel or conda package that an installer takes; without a name if none is named
  bool from_source = false;   ///< no wheel fits, and there is a source to build
  bool wheels_named = false;  ///< the lock names the wheels there are
  bool requested = false;
  bool needs_known = false;
  std::vector<std::string> hashes;
  std::vector<std::string> required_by;  ///< names of others that are chosen, as far as the lock tells
};

struct ChosenPackages {
  std::vector<ChosenPackage> packages;  ///< in the order of the lock
  std::vector<std::string> misfits;     ///< packages of which no wheel fits and that have no source
  std::size_t left_out = 0;             ///< whose markers do not hold, or that nobody asks for
};

/// What of a lock is installed in an environment. Errors: usage if two versions of one package would be.
Result<ChosenPackages> choose_packages(const LockFile&, const LockEnvironment&);

}  // namespace cudald

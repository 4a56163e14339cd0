#pragma once

#include <optional>
#include <string>

#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"
#include "lock/lock_file.h"
#include "package/wheel_tags.h"

namespace cudald {

/// A target of `check` that is a lock.
struct LockTarget {
  std::string given;   ///< as it was named; "-"
  std::string folder;  ///< in which it lies
  std::string text;
  LockKind kind = LockKind::requirements;
};

/// The machine and Python that wheels are chosen for: those of a described host or of the options.
WheelEnvironment wheels_for(const Options&);

/// The lock that is asked about; nullopt if the targets are no locks. Standard input is read: if it is no lock, its
/// lines are targets. Error{usage} if a lock stands among other targets, or standard input names none.
Result<std::optional<LockTarget>> take_lock(Options&, const Host&);

/// Judges a lock and writes the answer; the exit status. Error{usage} if nothing was analysed.
Result<int> check_lock(const LockTarget&, const Options&, const TextStyle&, const Host&, Output&);

/// The folder of a Python environment, where that is the only target; empty if it is not.
std::string environment_target(const Options&, const Host&);

/// The same of what is installed in an environment.
Result<int> check_environment(const std::string& prefix, const Options&, const TextStyle&, const Host&, Output&);

}  // namespace cudald

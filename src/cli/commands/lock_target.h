#pragma once

#include <optional>
#include <string>

#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"
#include "package/wheel_tags.h"
#include "session/target.h"

namespace cudald {

/// The machine and Python that wheels are chosen for: those of a described host or of the options.
WheelEnvironment wheels_for(const Options&);

/// Judges a lock and writes the answer; the exit status. Error{usage} if nothing was analysed.
Result<int> check_lock(const LockTarget&, const Options&, const TextStyle&, const Host&, Output&);

/// The same of what is installed in an environment.
Result<int> check_environment(const std::string& given, const EnvironmentTarget&, const Options&, const TextStyle&,
                              const Host&, Output&);

}  // namespace cudald

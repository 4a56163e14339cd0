#pragma once

#include <optional>
#include <vector>

#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "session/target.h"

namespace cudald {

/// Takes from this process what the question does not need: it writes nowhere but where the options say, and into the
/// cache; it starts no program, and opens no socket unless it asks servers. `probe` and --verify load the target for
/// real and are left alone. Error{usage} if the options require what the kernel does not have.
std::optional<Error> enter_sandbox(const Options&, const Host&);

/// The same of a child process that judges one target of a scan: of all that is written, the cache is left to it.
void enter_child_sandbox(const Options&, const Host&);

/// Where all targets come from strangers (packages, locks, images), hides the homes of other users that the question
/// does not name. Nothing is hidden without the sandbox.
void hide_homes(const Options&, const Host&, const std::vector<Typed>&);

}  // namespace cudald

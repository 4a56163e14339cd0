#pragma once

#include <cudald/report.h>

#include "session/proven_fixes.h"
#include "session/session_state.h"

namespace cudald {

/// Where an import fails and an index can be asked (SessionState::index): asks again with the packages that a command
/// of pip or uv would install. A command after which the import works comes first, and says with which release that
/// was; one after which the same error is left is taken back. Of one that takes an earlier series of a package, earlier
/// ones yet are tried; one after which another error comes is continued with what helps against that.
void prove_installs(Report&, SessionState&, ThreadLimit&, const AskAgain&);

}  // namespace cudald

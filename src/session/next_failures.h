#pragma once

#include <cudald/report.h>

#include "session/proven_fixes.h"
#include "session/session_state.h"

namespace cudald {

/// Where an import fails by a module or name that is missing, and a command would bring it: asks again as if it were
/// there, and says what fails next. What would mend that comes into the same command: else the user learns of it only
/// after the first step. Nothing is asked of an index. The answer to the second question foresees the third one's, up
/// to a small number.
void foresee_next_failures(Report&, SessionState&, ThreadLimit&, const AskAgain&);

}  // namespace cudald

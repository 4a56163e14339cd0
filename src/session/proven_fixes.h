#pragma once

#include <functional>

#include <cudald/query.h>
#include <cudald/report.h>

#include "session/session_state.h"

namespace cudald {

/// The answer to a question, in a state of its own.
using AskAgain = std::function<Report(Query, SessionState&)>;

/// Asks again with the variables and files as the commands that are offered would leave them: what does not help, or
/// breaks something that worked, is taken back, or comes last where there is nothing else. Commands that change
/// anything else, as those that install packages, are not tried.
void prove_fixes(Report&, SessionState&, ThreadLimit&, const AskAgain&);

}  // namespace cudald

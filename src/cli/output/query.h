#pragma once

#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/query.h>

#include "cli/options/options.h"

namespace cudald {

struct Report;  // cudald/report.h

/// The questions that the user asks: one process for all targets or, with --separately, one for
/// each.
std::vector<Query> make_queries(const Options&, const std::vector<std::string>& targets, const Environment& host);

/// 0, 1 or 3: what the exit status says of one report.
int exit_status(const Options&, const Report&);

}  // namespace cudald

#pragma once

#include <iosfwd>
#include <vector>

#include <cudald/writers.h>

#include "repair/repaired_target.h"

namespace cudald {

/// What `repair` changed, before and after, and as JSON (schema cudald/repair 1.0).
void write_repair(const std::vector<RepairedTarget>&, const TextStyle&, std::ostream&);
void write_repair_json(const std::vector<RepairedTarget>&, bool compact, std::ostream&);

}  // namespace cudald

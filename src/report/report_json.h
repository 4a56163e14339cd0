#pragma once

#include "report/json_text.h"

namespace cudald {

struct Finding;  // cudald/finding.h
struct Report;   // cudald/report.h

/// The document that write_json() writes, and a finding in it.
Json report_json(const Report&);
Json finding_json(const Finding&);

}  // namespace cudald

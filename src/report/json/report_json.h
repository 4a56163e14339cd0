#pragma once

#include "report/json/json_writer.h"

namespace cudald {

struct Finding;  // cudald/finding.h
struct Report;   // cudald/report.h

/// The document that write_json() writes, and a finding in it, as a value.
void write_report(JsonWriter&, const Report&);
void write_finding(JsonWriter&, const Finding&);

}  // namespace cudald

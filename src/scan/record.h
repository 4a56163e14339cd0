#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/work_list.h"

namespace cudald {

/// How the judging of one target ended.
enum class Outcome {
  judged,         ///< there is a report, whatever it says
  timed_out,      ///< it was stopped at the time limit
  out_of_memory,  ///< it was stopped at the limit of memory
  crashed,        ///< by a signal
  failed,         ///< in any other way
};

std::string_view to_string(Outcome);  ///< "timed-out", as JSON spells it
std::optional<Outcome> outcome_of(std::string_view);

/// What is kept of one target (schema cudald/scan-record 1.0). Nothing of the run that made it stands in it: neither
/// times nor the names of machines.
struct ScanRecord {
  WorkItem item;
  Outcome outcome{};
  std::optional<int> status;  ///< exit status of the judging process
  std::string message;        ///< of a target that was not judged
  std::string report;         ///< the document cudald/report on one line; empty: there is none
  /// Suppressions that left findings out of the report, as the list states them among its options.
  std::vector<std::string> ignored_by = {};
};

/// One line, with its end.
std::string line_of(const ScanRecord&);

/// Whose record a line is, without a look at the report.
struct RecordHead {
  WorkItem item;
  Outcome outcome = Outcome::failed;
  std::vector<std::string> ignored_by = {};
};
std::optional<RecordHead> head_of(std::string_view line);
/// The report's document within the line; empty if there is none.
std::string_view report_in(std::string_view line);
/// "message" of a line.
std::string message_in(std::string_view line);

}  // namespace cudald

#include "scan/sarif_runs.h"

#include <utility>

#include <fmt/format.h>

namespace cudald {

void SarifFiles::add(const Report& report) {
  if (run_.results.size() >= most_results_) end_run();
  run_.complete &= report.verdict != Verdict::unknown;
  // What is alike is numbered within its target.
  SarifResults made;
  for (const auto& finding : report.findings) {
    if (run_.results.size() >= most_results_) end_run();
    run_.results.push_back(made.of(report, finding));
  }
}

void SarifFiles::end_run() {
  run_.category = fmt::format("cudald/scan/{}", ++runs_ended_);
  runs_.push_back(sarif_run(std::exchange(run_, {})));
  if (runs_.size() >= most_runs_) end_file();
}

void SarifFiles::end_file() {
  ++files_;
  write_document(sarif_document(std::exchange(runs_, {})), false, next_());
}

void SarifFiles::finish() {
  if (!run_.results.empty() || !run_.complete || (runs_.empty() && files_ == 0)) end_run();
  if (!runs_.empty()) end_file();
}

}  // namespace cudald

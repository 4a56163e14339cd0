#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

#include <cudald/report.h>

#include "report/ci/sarif.h"

namespace cudald {

/// Writes findings of any number of reports as SARIF within the limits of those who show it: runs of so many results,
/// files of so many runs. All results stay, in the order of the reports.
class SarifFiles {
 public:
  /// `next` gives the stream for one more file; the one before is complete then.
  explicit SarifFiles(std::function<std::ostream&()> next, std::size_t most_results = most_sarif_results,
                      std::size_t most_runs = most_sarif_runs)
      : next_(std::move(next)), most_results_(most_results), most_runs_(most_runs) {}

  void add(const Report&);
  /// A target that was not judged.
  void add_gap() { run_.complete = false; }
  void finish();

 private:
  void end_run();
  void end_file();

  std::function<std::ostream&()> next_;
  std::size_t most_results_, most_runs_;
  SarifRun run_;
  Json::array_t runs_;
  std::size_t runs_ended_ = 0, files_ = 0;
};

}  // namespace cudald

#pragma once

#include <set>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/report.h>

#include "cli/options/options.h"

namespace cudald {

/// What the user's own judgement makes of findings: levels, what is selected, ignored and suppressed, the baseline. The
/// verdict stays as it is. One for a whole run: at its end it knows which suppressions were of use.
class Gate {
 public:
  /// `today` as "2026-11-22". Error{usage} for a baseline that cannot be read.
  static Result<Gate> make(const Options&, const FileSystem&, const std::string& cwd, std::string today);

  /// Changes the findings of a report. `last`: what no report needed is told in this one (CUD903).
  void apply(Report&, bool last);
  /// The suppressions that left something out until now, as stated() writes them.
  std::vector<std::string> used() const;
  /// What --write-baseline writes: the findings of all reports.
  std::string baseline() const;

 private:
  Gate(const Options& options, std::string today)
      : options_(options), today_(std::move(today)), used_(options.judgement.suppressions.size()) {}

  bool is_left_out(const Report&, const Finding&);
  void tell_of_suppressions(Report&);

  Options options_;
  std::string today_;
  std::vector<bool> used_;
  std::set<std::string> known_;  ///< fingerprints of the baseline
  std::set<std::string> found_;  ///< of this run
};

}  // namespace cudald

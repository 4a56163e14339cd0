#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "report/json/json_text.h"

namespace cudald {

struct Finding;  // cudald/finding.h
struct Report;   // cudald/report.h

/// GitHub shows no more of a run, and takes no more runs of a file.
constexpr std::size_t most_sarif_results = 5000, most_sarif_runs = 20;

/// Findings as results of SARIF.
class SarifResults {
 public:
  Json of(const Report&, const Finding&);

 private:
  std::map<std::string, std::size_t> seen_;
};

struct SarifRun {
  Json::array_t results;
  Json::array_t verdicts;    ///< of all targets; empty: left out
  std::string category;      ///< by which GitHub tells runs of one file apart; empty: none
  std::size_t left_out = 0;  ///< results beyond those here
  bool complete = true;      ///< whether all could be judged
};

Json sarif_run(SarifRun);
/// The document of these runs, an array.
Json sarif_document(Json runs);

}  // namespace cudald

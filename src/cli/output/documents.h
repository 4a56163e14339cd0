#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <cudald/result.h>
#include <cudald/writers.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "cli/output/output.h"

namespace cudald {

struct Deployment;  // cudald/deployment.h
struct Report;      // cudald/report.h

/// Where the answers of a run go: standard output or a file in the format of --format, and a file for each
/// -o FORMAT=FILE. A document of all answers is written when the last is there.
class Documents {
 public:
  /// Error{usage} if a file cannot be created.
  static Result<Documents> open(const Options&, const TextStyle&, const Host&, Output& main, std::size_t answers = 1);

  /// Writes one report everywhere but, with `main_too` false, to the main place; returns the exit status that it stands
  /// for.
  int tell(const Report&, bool main_too);
  /// Writes the answer about a lock everywhere; a document of all answers has those of its processes.
  int tell(const Deployment&);
  /// Writes what was kept for the end. The error of the first file that could not be written.
  std::optional<Error> finish();
  /// Instead of finish(): all files stay as they were.
  void discard();

 private:
  struct Place {
    Options options;
    TextStyle style;
    Output* output = nullptr;
    std::unique_ptr<Output> own;
    std::unique_ptr<DocumentWriter> document;  ///< of a format that is one document of all answers
    bool array = false;                        ///< several answers in a format of one: as an array
    std::size_t written = 0;                   ///< answers in the array so far
  };

  explicit Documents(const Host& host) : host_(&host) {}

  int tell(const Report&, Place&);

  const Host* host_;
  std::vector<Place> places_;
};

}  // namespace cudald

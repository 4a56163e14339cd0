#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include <cudald/finding.h>
#include <cudald/writers.h>

namespace cudald {

struct Report;  // cudald/report.h

/// What a check of several targets came to, for people: how many load, how often each finding was made, and with -v
/// which target took longest and which is the largest.
class CheckSummary {
 public:
  void add(const Report&, double seconds, std::uint64_t bytes);
  /// Below the answers, from which an empty line parts it; nothing below a single one.
  void write_below_answers(const TextStyle&, std::ostream&) const;
  void write(const TextStyle&, std::ostream&) const;

 private:
  struct Extreme {
    std::string target;
    double seconds = 0;
    std::uint64_t bytes = 0;
  };
  struct Kind {
    std::string name;
    Level level = Level::note;  ///< the worst that it had
    std::size_t findings = 0, targets = 0;
  };

  std::size_t answers_ = 0;
  std::map<Verdict, std::size_t> verdicts_;
  std::map<std::string, Kind> kinds_;  ///< by code
  Extreme slowest_, largest_;
};

}  // namespace cudald

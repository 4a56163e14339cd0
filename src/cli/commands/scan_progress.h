#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "cli/output/progress.h"

namespace cudald {

/// How far a worker has come.
struct ScanCount {
  std::size_t targets = 0, all_targets = 0;  ///< `all_targets` 0: nobody knows, as others work at the same list
  std::uint64_t bytes = 0, all_bytes = 0;
  std::size_t not_judged = 0;
};

/// "4.2 GB", "17 kB"
std::string spoken_size(std::uint64_t bytes);
/// "12 s", "3 min", "2 h 10 min"
std::string spoken_time(double seconds);
/// "120 of 400 targets, 1.2 of 5.7 GB, 85 MB/s, 2 min left, 1 not judged"
std::string progress_words(const ScanCount&, double seconds);

/// Tells on standard error how far a scan has come: a line on a terminal, or now and then a plain one.
class ScanProgress {
 public:
  ScanProgress(std::ostream& out, Progress::Style style, std::string name)
      : out_(out), style_(style), name_(std::move(name)) {}
  ~ScanProgress() { end(); }
  ScanProgress(const ScanProgress&) = delete;
  ScanProgress& operator=(const ScanProgress&) = delete;

  /// To be called often; writes no more than is of use.
  void tell(const ScanCount&);
  void end();
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream& out_;
  Progress::Style style_;
  std::string name_;
  Clock::time_point start_ = Clock::now(), told_ = start_;
  bool shown_ = false;
};

}  // namespace cudald

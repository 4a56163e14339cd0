#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include <cudald/limits.h>
#include <cudald/result.h>

namespace cudald {

/// How fast a stream comes: of bzip2 and xz even zeros take ten times as long as of zstd and gzip.
enum class StreamSpeed { fast, slow };

/// Error{limit} for a stream that inflates beyond all proportion: from over 4 GiB (slow: 512 MiB), 100:1.
std::optional<Error> check_proportion(std::uint64_t output, std::uint64_t input, StreamSpeed, const std::string& name);

/// What is inflated of the streams of one archive, on whichever threads. What streams hold counts towards --max-total;
/// they, and what comes out once more where somebody goes back, must stay in proportion to the archive.
class StreamBudget {
 public:
  StreamBudget(std::uint64_t archive_bytes, std::uint64_t most_total)
      : archive_bytes_(archive_bytes), most_total_(most_total) {}

  /// Notes bytes that came out, `fresh` of them for the first time; Error{limit} once it is too much.
  std::optional<Error> spend(std::uint64_t bytes, std::uint64_t fresh, StreamSpeed, const std::string& name);
  /// Bytes that came out, each counted once.
  std::uint64_t fresh() const { return fresh_; }
  /// Whether --max-total was the limit that was met.
  bool total_met() const { return fresh_ > most_total_; }

 private:
  const std::uint64_t archive_bytes_, most_total_;
  std::atomic<std::uint64_t> fresh_ = 0, again_ = 0;
};

}  // namespace cudald

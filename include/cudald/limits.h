#pragma once

#include <cstdint>

namespace cudald {

/// How much is inflated of archives; what goes beyond is not read, and that is a finding.
struct InflateLimits {
  std::uint64_t member = std::uint64_t{8} << 30;  ///< bytes of one member
  std::uint64_t total = std::uint64_t{64} << 30;  ///< bytes of all members of all archives of a question
  std::uint64_t ratio = 2000;                     ///< of a member's size to its compressed size
};

}  // namespace cudald

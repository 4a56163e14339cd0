#pragma once

#include <cstdint>

namespace cudald {

/// How much is inflated of archives; what goes beyond is not read, and that is a finding.
struct InflateLimits {
  std::uint64_t member = std::uint64_t{8} << 30;  ///< bytes of one member
  std::uint64_t total = std::uint64_t{64} << 30;  ///< bytes of all members of all archives of a question
  std::uint64_t ratio = 2000;                     ///< of a member's size to its compressed size

  bool operator==(const InflateLimits&) const = default;
};

/// What may be spent where a count, a length or an offset in a file, or its code, says how much there is to do. No file
/// that a compiler, a linker or a packer wrote comes near; what goes beyond is not claimed, and that is a finding.
struct CostLimits {
  std::uint64_t read = std::uint64_t{256} << 30;  ///< bytes read and inflated, the same bytes again counting again
  std::uint64_t kept = std::uint64_t{1} << 30;    ///< bytes of names, values and entries that are kept in memory
  std::uint64_t steps = 4'000'000'000;            ///< turns of loops over entries, comparisons, statements
  std::uint32_t depth = 200;                      ///< of calls within calls: expressions, folders, modules
};

/// The same for one reading of one ELF or PE file. TensorFlow's libtensorflow_cc.so.2, with 217,000 symbols the richest
/// that was measured, keeps 50 MB of symbol tables and takes a million steps.
inline constexpr CostLimits limits_of_one_file{std::uint64_t{32} << 30, std::uint64_t{160} << 20, 32'000'000, 200};

/// What was spent: bytes read, bytes kept, steps.
struct Cost {
  std::uint64_t read = 0, kept = 0, steps = 0;

  bool operator==(const Cost&) const = default;
  Cost operator-(const Cost& other) const { return {read - other.read, kept - other.kept, steps - other.steps}; }
  Cost operator+(const Cost& other) const { return {read + other.read, kept + other.kept, steps + other.steps}; }
};

}  // namespace cudald

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudald {

/// "2.9.1" of "2.9.1+cu128", as the index has it. Source: PEP 440, "Local version identifiers".
inline std::string without_local(std::string_view version) { return std::string(version.substr(0, version.find('+'))); }

/// A version of a distribution, ordered as pip orders them. Source: PEP 440, "Summary of permitted suffixes and
/// relative ordering".
struct DistributionVersion {
  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;  ///< without trailing zeros
  int pre_kind = 0;                    ///< 1 alpha, 2 beta, 3 candidate, 4 none; 0 for a development release of none
  std::uint64_t pre = 0;
  std::uint64_t post = 0;                                    ///< 0: none; else one more than the number
  std::uint64_t dev = UINT64_MAX;                            ///< the greatest number: none
  std::vector<std::pair<std::uint64_t, std::string>> local;  ///< a number, or 0 and a word

  auto operator<=>(const DistributionVersion&) const = default;
  bool is_prerelease() const { return pre_kind != 4 || dev != UINT64_MAX; }
};

/// nullopt if it is no version by PEP 440.
std::optional<DistributionVersion> parse_version(std::string_view);

/// Whether a version is one of ">=1.2,!=1.3.*,<2"; an empty text allows all. What cannot be read allows nothing.
/// Source: PEP 440, "Version specifiers".
bool allows(std::string_view specifiers, std::string_view version);

/// Whether no version is allowed by both: ">=1.25" and "<1.25". What cannot be read excludes nothing.
bool exclude_each_other(std::string_view specifiers, std::string_view others);

/// What allows the versions that both allow: "<3" and ">=1,<2" are ">=1,<2".
std::string specifiers_of_both(std::string_view specifiers, std::string_view others);

/// Whether a version is the one that "==pin" names: "2.5.1+cu121" is "2.5.1", as the pin names no local version.
/// Source: PEP 440, "Version matching".
bool is_pinned(std::string_view version, std::string_view pin);

/// Whether one specifier, ">=1.2", can be read.
bool is_specifier(std::string_view);

}  // namespace cudald

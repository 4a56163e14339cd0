#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <cudald/environment.h>

#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {

/// For what a wheel is chosen.
struct WheelEnvironment {
  std::string python_version;             ///< "3.11"; empty: any
  std::string machine;                    ///< "x86_64"
  std::optional<LibcVersion> musl = {};   ///< nullopt: glibc
  std::string windows_tag = {};           ///< "win_amd64", of a Python on Windows; empty: Linux
  std::optional<LibcVersion> glibc = {};  ///< the newest that wheels may be made for; nullopt: any
};

/// 11 in "cp311", "py311" and "3.11"; -1 if it names no minor version.
int minor_version(std::string_view text);

/// Whether an ABI tag is one of Python's stable ABI; abi3t is for a Python without the global lock. Source: PEP 803.
bool is_stable_abi_tag(std::string_view tag);

/// Whether an installer takes a wheel of that name. Source: PEP 425, PEP 600 and PEP 656.
bool fits(const WheelFileName&, const WheelEnvironment&);

/// Of two wheels of one version that fit, installers take the one with the greater preference: made for this Python
/// before one for several, and for the newest C library. Source: packaging.tags, in the order of its tags.
struct WheelPreference {
  int python = 0, platform = 0;
  auto operator<=>(const WheelPreference&) const = default;
};
WheelPreference preference_of(const WheelFileName&, const WheelEnvironment&);

/// How an installer ranks the wheels of one project: a final release before all others, then the newest, then what it
/// prefers. Source: pip, package_finder.py; PyPA, Version specifiers, "Handling of pre-releases".
using WheelRank = std::tuple<bool, DistributionVersion, WheelPreference>;
/// Nullopt if the wheel does not fit the environment, or its version is none or not one that all specifiers allow.
std::optional<WheelRank> rank_of(const WheelFileName&, const std::vector<std::string>& specifiers,
                                 const WheelEnvironment&);

}  // namespace cudald

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// Whether glibc defines a function or variable that musl does not have.
bool is_glibc_only(std::string_view symbol);

/// A package of Alpine Linux.
struct AlpinePackage {
  std::string name, library;  ///< "libexecinfo-dev", "libexecinfo"
  std::string until;          ///< the last release of Alpine that has it; empty if the newest has
};

/// What provides such a symbol on Alpine Linux; nullopt if nothing does.
std::optional<AlpinePackage> alpine_package_of(std::string_view symbol);

/// A release of musl.
struct MuslRelease {
  std::string musl;    ///< "1.2.3"
  std::string alpine;  ///< the first release of Alpine that has it: "3.16"
  std::string source;  ///< where that is known from
};

/// The release with which a function came to musl; nullopt for what musl does not have, or has had for long.
std::optional<MuslRelease> musl_release_of(std::string_view symbol);

/// Where it is known from what glibc defines alone.
std::string glibc_functions_source();

}  // namespace cudald

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

/// Where that is known from.
std::string glibc_functions_source();

}  // namespace cudald

#pragma once

#include <string_view>

namespace cudald {

/// Whether version `a` is older than `b`: runs of digits count as numbers, so GLIBC_2.9 comes before GLIBC_2.17.
bool version_less(std::string_view a, std::string_view b);

}  // namespace cudald

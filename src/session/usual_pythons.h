#pragma once

#include <string_view>

namespace cudald {

/// Of these the first that a package allows is the neutral Python, where nothing names one.
inline constexpr std::string_view usual_pythons[] = {"3.12", "3.13", "3.11", "3.10", "3.14",
                                                     "3.9",  "3.8",  "3.7",  "3.6"};

}  // namespace cudald

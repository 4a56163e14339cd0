#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// How many letters must be put in, left out, replaced or swapped with their neighbour to make `b`
/// of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word of `known` that was probably meant by `word`; empty if none is near.
std::string_view similar_word(std::string_view word, const std::vector<std::string_view>& known);

/// "; did you mean `tree`?" of a word that similar_word() found, or nothing.
std::string did_you_mean(std::string_view similar);
/// The same, for the word of `known` that is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace cudald

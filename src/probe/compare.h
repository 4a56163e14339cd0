#pragma once

#include <string>
#include <vector>

#include <cudald/resolution.h>

#include "probe/records.h"

namespace cudald {

/// What the simulation says is mapped at the end, in order.
std::vector<MappedFile> predicted_files(const Resolution&);

/// What differs between the files that were predicted and those that were mapped, in both directions; one sentence
/// each.
std::vector<std::string> differences_of_files(const std::vector<MappedFile>& predicted,
                                              const std::vector<MappedFile>& mapped);
/// Of the same files, the first that is not in its place.
std::vector<std::string> differences_of_order(const std::vector<MappedFile>& predicted,
                                              const std::vector<MappedFile>& mapped);

/// Likewise for what became of one target. `predicted` is the loader's line that the simulation foresees; empty: it
/// loads. With `exact_words`, two failures with other words differ as well.
std::vector<std::string> differences_of_target(const std::string& predicted, const ProbedTarget& real,
                                               bool exact_words);

}  // namespace cudald

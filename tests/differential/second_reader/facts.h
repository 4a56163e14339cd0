#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace second_reader {

/// What a file says, in a form that two readers can be held against each other in: a kind of fact, and the texts that
/// the file gives for it. Where order means something they stand in the file's order, else they are sorted.
using Facts = std::map<std::string, std::vector<std::string>>;

/// LIEF's reading of the file; nullopt if it refuses the file.
std::optional<Facts> read_with_lief(const std::string& path);

/// Our own reading; nullopt if the file is neither ELF nor PE for us. `faults` are the defects that we tell.
std::optional<Facts> read_with_cudald(const std::string& path, std::vector<std::string>& faults);

}  // namespace second_reader

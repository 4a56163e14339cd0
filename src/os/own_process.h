#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cudald {

/// The words of the command line behind the program's name, in UTF-8 on Windows whatever its code page.
std::vector<std::string> own_words(int count, char** words);
/// The variables of this process. Names have no case on Windows, and are in upper case here.
std::map<std::string, std::string> own_variables();
/// The current directory as a path of the tree; empty if the system does not tell.
std::string own_directory();
/// The user and the group that count for this process; zeros on Windows, which has no such numbers.
std::pair<std::uint32_t, std::uint32_t> own_user();
/// The release of the kernel that runs, "6.1.0-18-amd64"; empty on Windows.
std::string own_kernel();
/// The number of this process.
unsigned long own_number();
/// One of two numbers that the system makes anew for each process, so that nobody can foresee them.
std::uint64_t own_random(std::size_t which);

}  // namespace cudald

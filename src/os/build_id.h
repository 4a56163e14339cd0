#pragma once

#include <string>

namespace cudald {

/// The number that the linker gave the program or library that this code is in, in hexadecimal digits: another one for
/// other code. Empty if it gave none. Source: elf.h, NT_GNU_BUILD_ID; dl_iterate_phdr(3).
std::string own_build_id();

}  // namespace cudald

#pragma once

#include <string>

namespace cudald {

// The errors of system calls as Linux has them: what a loader of Linux prints is the same wherever it is simulated.

/// 40 for ELOOP, whatever number that has here.
int linux_error_number(int number);
/// "Too many levels of symbolic links", as glibc's strerror says.
std::string linux_error_text(int number);

}  // namespace cudald

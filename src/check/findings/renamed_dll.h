#pragma once

#include <string>

#include "check/findings/checks.h"

namespace cudald {

/// The file beside the requester that has all functions which that imports from a DLL, and whose name is that of the
/// DLL with something before it: 3f1c2a6e-llama.dll, as programs call what they unpack for one run. Empty if there is
/// none.
std::string renamed_dll(const Case&, const Object& requester, const std::string& dll);

/// The file of a searched folder that conda moved out of the way, as a process had it open, and that has all functions
/// which the requester imports from the DLL: "/env/Library/bin/ffi.dll.c~.conda_trash". Empty if there is none.
std::string trashed_dll(const Case&, const Object& requester, const Edge&);

}  // namespace cudald

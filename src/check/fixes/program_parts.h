#pragma once

#include <string>

#include <cudald/report.h>

#include "binary/image_store.h"

namespace cudald {

/// The DLL beside a file that is called like a missing one but for the number at its end: opencv_core2410.dll for
/// opencv_core2411.dll. Empty if there is none.
std::string other_release_beside(const std::string& dll, const Object& requester, ImageStore&);

/// Whether a program of Windows lies in a directory without any DLL, and not where a compiler puts it: it was taken out
/// of an archive alone, or what it came with is gone.
bool lies_alone(const Object& program, ImageStore&);

}  // namespace cudald

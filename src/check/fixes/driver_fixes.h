#pragma once

#include <string>
#include <vector>

#include <cudald/finding.h>

#include "binary/image_store.h"

namespace cudald {

/// What gives a process NVIDIA's driver: by where the tree is, in a container, below Windows, or on a machine with a
/// GPU of NVIDIA. Where no such device is in sight, to install the driver is not the first advice.
/// A container gets only the libraries of the capabilities that it names.
std::vector<Fix> driver_fixes(ImageStore&, const std::string& library = "libcuda.so.1");

/// The command that brings a driver which is older than what runs to the newest of the system, or a container to the
/// GPUs of its host. Empty where no package is sure to be newer, as on Debian, or Windows has the driver.
std::string newer_driver(ImageStore&);

}  // namespace cudald

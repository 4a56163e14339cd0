#pragma once

#include <string>
#include <vector>

#include <cudald/cuda_stack.h>

#include "binary/image_store.h"
#include "pyimport/run_import.h"

namespace cudald {

/// The driver, from libcuda.so.1 wherever a loader finds it, and from what the kernel and its modules say.
DriverFound find_driver(ImageStore&, const std::vector<std::string>& library_folders, bool is_host, const Knowledge&);

/// /usr/local/cuda* and its like, and that of a conda environment.
std::vector<CudaToolkit> find_toolkits(const FileSystem&, const std::string& prefix);

/// Frameworks among the packages of a site-packages folder, with what their own files say they were built for.
std::vector<GpuFramework> find_frameworks(const FileSystem&, const std::string& site_packages, const Knowledge&);

/// The files of a folder whose names are like those of CUDA libraries.
std::vector<std::string> cuda_candidates(ImageStore&, const std::string& folder);

/// A text of the kernel, whose files have no size; empty if it cannot be read.
std::string read_small_text(const FileSystem&, const std::string& path);

/// The first run of digits and dots in a text that has a dot: "535.104.05"; empty if there is none.
std::string first_version(std::string_view text);

}  // namespace cudald

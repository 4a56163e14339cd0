#pragma once

#include <string>
#include <vector>

#include <cudald/cuda_stack.h>

#include "binary/image_store.h"
#include "pyimport/run_import.h"

namespace cudald {

/// The driver, from libcuda.so.1 wherever a loader finds it, and from what the kernel and its modules say.
DriverFound find_driver(ImageStore&, const std::vector<std::string>& library_folders, bool is_host, const Knowledge&);

/// The driver of a machine with Windows, from nvcuda.dll in System32.
DriverFound find_windows_driver(ImageStore&, const std::string& system_folder);
/// "536.23" of "31.0.15.3623", the version of a file of NVIDIA's driver for Windows; empty if it is none.
std::string windows_driver_version(std::string_view file_version);

/// /usr/local/cuda* and its like, that of a conda environment, and those of further folders.
std::vector<CudaToolkit> find_toolkits(const FileSystem&, const std::string& prefix,
                                       const std::vector<std::string>& further = {});

/// Frameworks among the packages of a site-packages folder, with what their own files say they were built for.
std::vector<GpuFramework> find_frameworks(const FileSystem&, const std::string& site_packages, const Knowledge&);

/// The files of a folder whose names are like those of CUDA libraries.
std::vector<std::string> cuda_candidates(ImageStore&, const std::string& folder);

/// A text of the kernel, whose files have no size; empty if it cannot be read.
std::string read_small_text(const FileSystem&, const std::string& path);

/// The first run of digits and dots in a text that has a dot: "535.104.05"; empty if there is none.
std::string first_version(std::string_view text);

}  // namespace cudald

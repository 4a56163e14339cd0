#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <cudald/format.h>
#include <cudald/gpu_architecture.h>

namespace cudald {

class File;    // file_system.h
struct Image;  // image.h

/// How many entries of a file's fatbins are for each architecture.
using GpuEntries = std::map<GpuArchitecture, std::size_t>;

/// The GPU code that a file carries.
struct GpuCode {
  GpuEntries sass;          ///< machine code (cubin)
  GpuEntries ptx;           ///< what the driver can compile
  bool registered = false;  ///< the CUDA runtime takes it over when the file is loaded; else the file's own code does
  std::size_t entries = 0;  ///< of every kind
  std::vector<Defect> defects;

  bool empty() const { return sass.empty() && ptx.empty(); }
};

/// A container of GPU code that was met while a stream went by, before it was known which bytes of it are a section.
struct MetFatbin {
  std::uint64_t end = 0;
  GpuCode code;
};
/// By where they begin, or where the one before ends if there are only zeros between.
using MetFatbins = std::map<std::uint64_t, MetFatbin>;

/// Goes through a stream once, onwards, and reads what looks like containers; empty for other files.
MetFatbins meet_fatbins(const File&);

/// Reads the headers of the fatbins of an ELF or PE file, from entry to entry: nothing is decompressed. As cuobjdump
/// does by default: relocatable code counts only if there is no executable code. What was met need not be gone through
/// again.
GpuCode read_gpu_code(const File&, const Image&, const MetFatbins& = {});

/// Whether an ELF or PE file has a section of GPU code, as nvcc makes it. Reads the section table alone.
bool has_gpu_code(const File&, const Image&);

}  // namespace cudald

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/image.h>

namespace cudald {

/// A GPU, or what code is compiled for: sm_90 is {90, 0}; sm_90a and sm_100f, which only code can be, have a suffix.
struct GpuArchitecture {
  std::uint32_t number = 0;
  char suffix = 0;  ///< 'a': for exactly this GPU; 'f': for its family; 0: for later ones as well

  auto operator<=>(const GpuArchitecture&) const = default;
  std::uint32_t major() const { return number / 10; }
};

/// "sm_90a", as cuobjdump writes it.
std::string to_string(GpuArchitecture);
/// A GPU as "sm_120" or, as nvidia-smi's compute_cap says, "12.0"; nullopt for anything else.
std::optional<GpuArchitecture> parse_gpu(std::string_view);

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

/// Whether machine code for `code` runs on a GPU (CUDA Programming Guide, "Compute Capabilities": the same major
/// version and no newer minor one; "Feature Set Compiler Targets" for suffixes).
bool sass_runs_on(GpuArchitecture code, GpuArchitecture gpu);
/// Whether a driver can compile PTX for `code` for a GPU (the same; PTX without a suffix fits every newer GPU).
bool ptx_compiles_for(GpuArchitecture code, GpuArchitecture gpu);

}  // namespace cudald

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// Whether machine code for `code` runs on a GPU (CUDA Programming Guide, "Compute Capabilities": the same major
/// version and no newer minor one; "Feature Set Compiler Targets" for suffixes).
bool sass_runs_on(GpuArchitecture code, GpuArchitecture gpu);
/// Whether a driver can compile PTX for `code` for a GPU (the same; PTX without a suffix fits every newer GPU).
bool ptx_compiles_for(GpuArchitecture code, GpuArchitecture gpu);

}  // namespace cudald

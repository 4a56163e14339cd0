#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/gpu_architecture.h>
#include <cudald/query.h>

namespace cudald {

/// A GPU that NVIDIA's kernel module serves.
struct MachineGpu {
  std::string model;                            ///< as the driver calls it: "NVIDIA H200"; empty: it does not tell
  std::string uuid;                             ///< "GPU-5e86e41f-8e3f-625d-d1ef-5e02519df6d4"; empty: not told
  std::optional<GpuArchitecture> architecture;  ///< by its number on the PCI bus; none: a chip that is not known
};

/// Those of the machine whose /proc, /sys and /dev a tree has, in the order of their places on the bus. Of a container
/// those that it is given.
std::vector<MachineGpu> machine_gpus(const FileSystem&);

/// What they are, each architecture once, in their order; those that are not known are left out.
std::vector<GpuArchitecture> architectures_of(const std::vector<MachineGpu>&);

/// Whether a question is about the machine that runs: nothing of another one is stated.
bool asks_about_this_machine(const Query&);

/// What a chip with this PCI device number (vendor 10de) runs; nullopt for one that is not known.
std::optional<GpuArchitecture> architecture_of_chip(std::uint32_t device);

/// Whether a value of CUDA_VISIBLE_DEVICES leaves none of these GPUs (none: it is not known which there are). Seen are
/// those before the first entry that names none (CUDA Programming Guide, "CUDA Environment Variables"; how entries are
/// read was asked of an H200 with driver 580.159.04).
bool hides_all_gpus(std::string_view visible_devices, const std::vector<MachineGpu>& gpus);

}  // namespace cudald

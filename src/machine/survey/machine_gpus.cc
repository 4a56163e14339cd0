#include "machine/survey/machine_gpus.h"

#include <algorithm>
#include <charconv>

#include "base/path.h"
#include "machine/survey/survey.h"

namespace cudald {
namespace {

constexpr auto folder = "/proc/driver/nvidia/gpus";

struct Chips {
  std::uint32_t first, last;  ///< PCI device numbers
  std::uint32_t architecture;
};

// NVIDIA numbers its chips in runs (pci.ids of 2026-08-22, by the chips' names) and says what each of them computes
// (https://developer.nvidia.com/cuda-gpus).
constexpr Chips chips[] = {
    {0x1340, 0x13bf, 50},   // GM107, GM108
    {0x13c0, 0x13ff, 52},   // GM204
    {0x1401, 0x147f, 52},   // GM206
    {0x15f0, 0x15ff, 60},   // GP100
    {0x1617, 0x167f, 52},   // GM204
    {0x1725, 0x172f, 60},   // GP100
    {0x174d, 0x174e, 50},   // GM108
    {0x1789, 0x179c, 50},   // GM107
    {0x17c2, 0x17ff, 52},   // GM200
    {0x1b00, 0x1d7f, 61},   // GP102, GP104, GP106 to GP108
    {0x1d81, 0x1dff, 70},   // GV100
    {0x1e02, 0x1fff, 75},   // TU102, TU104, TU106, TU117
    {0x2080, 0x20ff, 80},   // GA100
    {0x2182, 0x21ff, 75},   // TU116
    {0x2200, 0x227f, 86},   // GA102
    {0x2302, 0x237f, 90},   // GH100
    {0x2414, 0x25ff, 86},   // GA103, GA104, GA106, GA107
    {0x2681, 0x28ff, 89},   // AD102 to AD104, AD106, AD107
    {0x2900, 0x29ff, 100},  // GB100, GB102
    {0x2b00, 0x2b00, 110},  // GB10B
    {0x2b80, 0x2dff, 120},  // GB202, GB203, GB206, GB207
    {0x2e00, 0x2e7f, 121},  // GB20B
    {0x2f00, 0x2f7f, 120},  // GB205
    {0x3180, 0x327f, 103},  // GB110, GB112
};

/// What stands behind a word like "Model:" in what the driver says of a GPU.
std::string field_of(std::string_view information, std::string_view field) {
  constexpr std::string_view space(" \t");
  for (auto line : split(information, "\n")) {
    if (!line.starts_with(field)) continue;
    line.remove_prefix(field.size());
    line.remove_prefix(std::min(line.find_first_not_of(space), line.size()));
    return std::string(line);
  }
  return "";
}

/// Numbers are read as by strtol, with blanks and a sign before them; of a UUID the beginning is enough.
bool names_gpu(std::string_view entry, const std::vector<MachineGpu>& gpus) {
  const auto is_it = [&](const MachineGpu& gpu) { return gpu.uuid.empty() || gpu.uuid.starts_with(entry); };
  if (entry.starts_with("MIG-")) return true;
  if (entry.starts_with("GPU-")) return gpus.empty() || std::any_of(gpus.begin(), gpus.end(), is_it);
  entry.remove_prefix(std::min(entry.find_first_not_of(" \t"), entry.size()));
  if (entry.starts_with('+')) entry.remove_prefix(1);
  long long number = 0;
  if (std::from_chars(entry.data(), entry.data() + entry.size(), number).ec != std::errc()) return false;
  return number >= 0 && (gpus.empty() || number < static_cast<long long>(gpus.size()));
}

/// A GPU, and the number in the name of its device file; empty: not told.
struct Listed {
  MachineGpu gpu;
  std::string minor;
};

bool has_device_file(const FileSystem& files, const Listed& one) {
  return files.status("/dev/nvidia" + one.minor).has_value();
}

/// A container that is given some GPUs of a machine has the device files of these alone, while /proc may list all.
/// Where no GPU has one, they are not made yet: nvidia-modprobe makes them when the first process asks for a GPU.
std::vector<MachineGpu> given_ones(const FileSystem& files, const std::vector<Listed>& all) {
  const auto has = [&](const Listed& one) { return !one.minor.empty() && has_device_file(files, one); };
  const bool made = std::any_of(all.begin(), all.end(), has);
  std::vector<MachineGpu> given;
  for (const auto& one : all)
    if (!made || one.minor.empty() || has(one)) given.push_back(one.gpu);
  return given;
}

}  // namespace

std::optional<GpuArchitecture> architecture_of_chip(std::uint32_t device) {
  for (const auto& run : chips)
    if (device >= run.first && device <= run.last) return GpuArchitecture{run.architecture, 0};
  return std::nullopt;
}

std::vector<MachineGpu> machine_gpus(const FileSystem& files) {
  std::vector<Listed> gpus;
  const auto places = files.list(folder);
  if (!places) return {};
  for (const auto& place : *places) {
    MachineGpu gpu;
    const auto information = read_small_text(files, std::string(folder) + "/" + place + "/information");
    gpu.model = field_of(information, "Model:");
    gpu.uuid = field_of(information, "GPU UUID:");
    const auto number = read_small_text(files, "/sys/bus/pci/devices/" + place + "/device");  // "0x2335\n"
    std::uint32_t device = 0;
    if (number.starts_with("0x") &&
        std::from_chars(number.data() + 2, number.data() + number.size(), device, 16).ec == std::errc())
      gpu.architecture = architecture_of_chip(device);
    gpus.push_back({std::move(gpu), field_of(information, "Device Minor:")});
  }
  return given_ones(files, gpus);
}

std::vector<GpuArchitecture> architectures_of(const std::vector<MachineGpu>& gpus) {
  std::vector<GpuArchitecture> all;
  for (const auto& gpu : gpus)
    if (gpu.architecture && std::find(all.begin(), all.end(), *gpu.architecture) == all.end())
      all.push_back(*gpu.architecture);
  return all;
}

bool asks_about_this_machine(const Query& query) {
  return query.world == WorldKind::here && query.sysroot == "/" && !query.windows_host &&
         query.environment.driver.empty();
}

bool hides_all_gpus(std::string_view visible_devices, const std::vector<MachineGpu>& gpus) {
  return !names_gpu(visible_devices.substr(0, visible_devices.find(',')), gpus);
}

}  // namespace cudald

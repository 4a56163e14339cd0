#include "check/fixes/driver_fixes.h"

#include <fmt/format.h>

#include "check/findings/system_packages.h"
#include "check/fixes/install_commands.h"

namespace cudald {

namespace {

/// What a container names beside its GPUs, to get a library of the driver. Source: NVIDIA Container Toolkit, "Driver
/// Capabilities": by default compute and utility.
std::string capabilities_for(const std::string& library) {
  for (const std::string_view video : {"libnvcuvid.so.1", "libnvidia-encode.so.1", "libnvidia-opticalflow.so.1"})
    if (library == video) return "-e NVIDIA_DRIVER_CAPABILITIES=compute,utility,video ";
  for (const std::string_view graphics : {"libnvidia-fbc.so.1", "libnvoptix.so.1", "libnvidia-cfg.so.1"})
    if (library == graphics) return "-e NVIDIA_DRIVER_CAPABILITIES=all ";
  return "";
}

}  // namespace

std::vector<Fix> driver_fixes(ImageStore& images, const std::string& library) {
  const SystemPackages system(images);
  const Fix container{"in a container the driver is the host's",
                      "docker run --gpus all " + capabilities_for(library) + "IMAGE",
                      "needs the NVIDIA Container Toolkit on the host"};
  const auto device = system.has_nvidia_device();
  if (system.is_container()) return {container};
  const std::string below_windows = "/usr/lib/wsl/lib";
  if (system.is_wsl() && is_file(images.files(), below_windows + "/" + library))
    return {{fmt::format("{} is in {}: let the search come there; for this shell only", library, below_windows),
             export_search_path({below_windows}), ""}};
  if (system.is_wsl())
    return {{"install NVIDIA's driver in Windows; Linux below Windows then has it in /usr/lib/wsl/lib", "", ""}};
  auto command = system.driver_install();
  if (command.empty() && system.takes_debian_packages()) command = "sudo apt install nvidia-driver";
  const bool of_debian = command.ends_with("apt install nvidia-driver");
  const Fix install{library + " belongs to the NVIDIA driver" + (of_debian ? "; on Debian" : ""), command,
                    of_debian ? "needs the non-free component and a machine with an NVIDIA GPU"
                              : "needs a machine with an NVIDIA GPU"};
  if (device.value_or(false)) return {install, container};
  const Fix machine{"no NVIDIA GPU found here: run it on a machine with an NVIDIA GPU and its driver", "", ""};
  if (device) return {machine, container, install};
  return {container, install};
}

std::string newer_driver(ImageStore& images) {
  const SystemPackages system(images);
  const auto device = system.has_nvidia_device();
  if (system.is_wsl()) return "";
  if (system.is_container()) return device.value_or(false) ? "" : "docker run --gpus all IMAGE";
  return system.archive() && system.archive()->id == "ubuntu" && device.value_or(true) ? system.driver_install() : "";
}

}  // namespace cudald

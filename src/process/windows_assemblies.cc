#include "process/windows_assemblies.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/windows_path.h"
#include "env/windows_names.h"

namespace cudald {
namespace {

/// An assembly that the program or the DLL brings along: NAME.manifest or NAME.dll in its folder, or in one called
/// NAME.
bool is_private(const std::string& name, const std::string& folder, WindowsTree& tree) {
  for (const auto& place : {folder, windows_join(folder, name)})
    for (const auto* suffix : {".dll", ".manifest"})
      if (tree.find(windows_join(place, name + suffix))) return true;
  return false;
}

/// Whether a copy of Windows has it: "amd64_microsoft.vc90.crt_1fc8b3b9a1e18e3b_9.0.30729.9635_none_....manifest".
bool is_in_store(const Assembly& assembly, const WindowsHost& host, WindowsTree& tree, ImageStore& images) {
  const auto folder = tree.find(host.windows + "\\WinSxS\\Manifests");
  if (!folder) return false;
  const auto beginning = std::string(host.wide ? "amd64_" : "x86_") + folded(assembly.name) + "_";
  const auto& names = images.list(*folder);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return folded(name).starts_with(beginning); });
}

}  // namespace

std::string missing_assembly(const Image& image, const std::string& folder, const WindowsHost& host, WindowsTree& tree,
                             ImageStore& images) {
  const std::uint32_t counts = (image.pe->characteristics & pe_dll) == 0 ? 1 : 2;
  for (const auto& manifest : image.pe->manifests) {
    if (manifest.id != counts) continue;
    for (const auto& assembly : manifest.dependencies) {
      const bool there = assembly.optional || is_private(assembly.name, folder, tree) ||
                         is_private(assembly.name, host.application, tree) ||
                         (host.has_files ? is_in_store(assembly, host, tree, images)
                                         : is_assembly_of_windows(assembly.name, assembly.version));
      if (!there) return assembly.name + " " + assembly.version;
    }
  }
  return "";
}

}  // namespace cudald

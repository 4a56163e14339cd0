#include "loader/windows/windows_assemblies.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/windows_path.h"
#include "knowledge/windows_names.h"

namespace cudald {
namespace {

bool is_dll(const Image& image) { return (image.pe->characteristics & pe_dll) != 0; }

}  // namespace

std::string AssemblyPlace::path() const { return windows_join(folder, name) + (beginning ? "*" : ""); }

const Manifest* embedded_manifest(const Image& image) {
  if (!image.pe) return nullptr;
  const auto& manifests = image.pe->manifests;
  const auto place = std::find_if(manifests.begin(), manifests.end(),
                                  [&](const Manifest& manifest) { return manifest.id == (is_dll(image) ? 2 : 1); });
  return place == manifests.end() ? nullptr : &*place;
}

std::string external_manifest(const Image& image, const std::string& load_name) {
  return load_name + (image.pe && is_dll(image) ? ".2.manifest" : ".manifest");
}

// Of an assembly that the program or the DLL brings along: NAME.dll or NAME.manifest in its folder, or in one called
// NAME. Of one in a copy of Windows: "amd64_microsoft.vc90.crt_1fc8b3b9a1e18e3b_9.0.30729.9635_none_....manifest".
std::vector<AssemblyPlace> assembly_places(const Assembly& assembly, const std::string& folder,
                                           const WindowsHost& host) {
  std::vector<AssemblyPlace> places;
  if (host.has_files)
    places.push_back(
        {host.windows + "\\WinSxS\\Manifests", (host.wide ? "amd64_" : "x86_") + folded(assembly.name) + "_", true});
  for (const auto& own : {folder, host.application})
    for (const auto& place : {own, windows_join(own, assembly.name)})
      for (const auto* suffix : {".dll", ".manifest"}) places.push_back({place, assembly.name + suffix});
  return places;
}

bool is_of_windows(const Assembly& assembly, const WindowsHost& host) {
  return !host.has_files && is_assembly_of_windows(assembly.name, assembly.version);
}

}  // namespace cudald

#include "loader/windows_assemblies.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/windows_path.h"
#include "env/windows_names.h"

namespace cudald {
namespace {

/// The assemblies that must be there for the file to be loaded.
std::vector<Assembly> wanted_assemblies(const Image& image) {
  std::vector<Assembly> wanted;
  if (!image.pe) return wanted;
  const std::uint32_t counts = (image.pe->characteristics & pe_dll) == 0 ? 1 : 2;
  for (const auto& manifest : image.pe->manifests)
    if (manifest.id == counts)
      for (const auto& assembly : manifest.dependencies)
        if (!assembly.optional) wanted.push_back(assembly);
  return wanted;
}

/// Of an assembly that the program or the DLL brings along: NAME.manifest or NAME.dll in its folder, or in one called
/// NAME. Of one in a copy of Windows: "amd64_microsoft.vc90.crt_1fc8b3b9a1e18e3b_9.0.30729.9635_none_....manifest".
std::vector<AssemblyPlace> places_of(const Assembly& assembly, const std::string& folder, const WindowsHost& host) {
  std::vector<AssemblyPlace> places;
  for (const auto& own : {folder, host.application})
    for (const auto& place : {own, windows_join(own, assembly.name)})
      for (const auto* suffix : {".dll", ".manifest"}) places.push_back({place, assembly.name + suffix});
  if (host.has_files)
    places.push_back(
        {host.windows + "\\WinSxS\\Manifests", (host.wide ? "amd64_" : "x86_") + folded(assembly.name) + "_", true});
  return places;
}

}  // namespace

std::string AssemblyPlace::path() const { return windows_join(folder, name) + (beginning ? "*" : ""); }

std::vector<AssemblyPlace> assembly_places(const Image& image, const std::string& folder, const WindowsHost& host) {
  std::vector<AssemblyPlace> places;
  for (const auto& assembly : wanted_assemblies(image))
    for (auto& place : places_of(assembly, folder, host)) places.push_back(std::move(place));
  return places;
}

std::string missing_assembly(const Image& image, const std::string& folder, const WindowsHost& host,
                             const std::set<std::string>& there) {
  for (const auto& assembly : wanted_assemblies(image)) {
    if (!host.has_files && is_assembly_of_windows(assembly.name, assembly.version)) continue;
    const auto places = places_of(assembly, folder, host);
    if (std::none_of(places.begin(), places.end(),
                     [&there](const AssemblyPlace& place) { return there.contains(place.path()); }))
      return assembly.name + " " + assembly.version;
  }
  return "";
}

}  // namespace cudald

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cudald/pe.h>

#include "machine/windows_host.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Where a side-by-side assembly may lie.
struct AssemblyPlace {
  std::string folder;
  std::string name;        ///< of a file
  bool beginning = false;  ///< any file whose name, in lower case, begins so

  std::string path() const;
  bool operator==(const AssemblyPlace&) const = default;
};

/// What the manifest of a program or DLL comes to, as the assemblies tell on which it depends.
struct ActivationContext {
  std::map<std::string, std::string> files;  ///< of the assemblies: name in lower case -> full path
  std::string missing;                       ///< the first assembly that is not there, "Microsoft.VC90.CRT 9.0.21022.8"
  std::string fault;  ///< what is wrong with a manifest of that assembly, or with the file's own, if that is why
};

/// The manifest among the resources that counts: of a program manifest 1, of a DLL manifest 2; nullptr if it has none.
const Manifest* embedded_manifest(const Image&);

/// The file that counts where the resources hold no manifest: "app.exe.manifest", "a.dll.2.manifest".
/// Source: wine dlls/ntdll/actctx.c, get_manifest_in_associated_manifest; Microsoft's "Manifests".
std::string external_manifest(const Image&, const std::string& load_name);

/// The places of an assembly, in their order. `folder` is that of the file whose manifest asks, as Windows spells it.
/// Source: Microsoft's "Assembly Searching Sequence" and "Using Side-by-side Assemblies as a Resource".
std::vector<AssemblyPlace> assembly_places(const Assembly&, const std::string& folder, const WindowsHost&);

/// Whether Windows has the assembly, of which then nothing but the name is known.
bool is_of_windows(const Assembly&, const WindowsHost&);

}  // namespace cudald

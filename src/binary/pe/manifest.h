#pragma once

#include <string_view>

#include <cudald/pe.h>

namespace cudald {

/// The assemblies on which a manifest depends (dependency/dependentAssembly/assemblyIdentity) and the files that its
/// own assembly has, in its order; Microsoft's "Application manifests" and "Assembly manifests". UTF-8, or UTF-16 with
/// a byte order mark.
Manifest parse_manifest(std::string_view text);

}  // namespace cudald

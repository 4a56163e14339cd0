#pragma once

#include <string_view>
#include <vector>

#include <cudald/pe.h>

namespace cudald {

/// The assemblies on which a manifest depends (dependency/dependentAssembly/assemblyIdentity), in its order;
/// Microsoft's "Application manifests". UTF-8, or UTF-16 with a byte order mark.
std::vector<Assembly> parse_manifest(std::string_view text);

}  // namespace cudald

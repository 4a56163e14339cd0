#pragma once

#include <string>
#include <string_view>

namespace cudald {

/// What Windows refuses in the text of a manifest, as "line 4: the value of version is not in quotes"; empty if nothing
/// of what is checked here: tags and attributes that are no XML, elements that are not closed, and versions of
/// assemblies that are not four numbers. Error 14001 (ERROR_SXS_CANT_GEN_ACTCTX) is what the user sees.
/// Source: Extensible Markup Language (XML) 1.0, 2.1 and 3.1; Microsoft's "Assembly manifests", assemblyIdentity.
std::string manifest_fault(std::string_view text);

}  // namespace cudald

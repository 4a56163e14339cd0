#include "process/activation_contexts.h"

#include <cudald/image.h>

#include <algorithm>

#include "base/windows_path.h"
#include "binary/pe/manifest.h"

namespace cudald {

std::optional<ActivationContext> ActivationContexts::context_of(const Image& image, const std::string& load_name) {
  std::optional<Manifest> own;
  auto place = load_name;
  if (const auto* embedded = embedded_manifest(image)) {
    own = *embedded;
  } else if (const auto file = tree_.find(external_manifest(image, load_name))) {
    own = read(*file);
    place = external_manifest(image, load_name);
  }
  if (!own) return std::nullopt;
  ActivationContext context;
  if (!own->fault.empty()) {
    context.missing = std::string(windows_file_name(place));
    context.fault = place + ", " + own->fault;
    return context;
  }
  std::set<std::string> done;
  add(*own, windows_folder(load_name), 0, done, context);
  return context;
}

void ActivationContexts::add(const Manifest& manifest, const std::string& folder, int depth,
                             std::set<std::string>& done, ActivationContext& context) {
  constexpr int most_assemblies_deep = 8;
  if (depth > most_assemblies_deep) return;
  for (const auto& assembly : manifest.dependencies) {
    if (is_of_windows(assembly, host_)) continue;
    const auto found = find(assembly, folder);
    if (!found) {
      if (!assembly.optional && context.missing.empty()) context.missing = assembly.name + " " + assembly.version;
      continue;
    }
    if (!found->fault.empty() && context.missing.empty()) {
      context.missing = assembly.name + " " + assembly.version;
      context.fault = found->fault;
    }
    if (!done.insert(folded(found->path)).second) continue;
    for (const auto& file : found->manifest.files)
      context.files.try_emplace(folded(file), windows_join(found->folder, file));
    add(found->manifest, found->folder, depth + 1, done, context);
  }
}

std::optional<ActivationContexts::FoundAssembly> ActivationContexts::find(const Assembly& assembly,
                                                                          const std::string& folder) {
  for (const auto& place : assembly_places(assembly, folder, host_))
    if (auto found = look_at(place)) {
      if (!found->manifest.fault.empty())
        found->fault = found->path + ", " + found->manifest.fault;
      else if (is_other_version(assembly, place, *found))
        found->fault =
            found->path + " is of version " + found->manifest.version + ", and " + assembly.version + " is needed";
      return found;
    }
  return std::nullopt;
}

/// Beside a program an assembly has to be of the version that is asked for: policies for others belong to Windows.
/// Source: Microsoft's "Private Assemblies"; the event of SideBySide, "Component identity found in manifest does not
/// match the identity of the component requested".
bool ActivationContexts::is_other_version(const Assembly& assembly, const AssemblyPlace& place,
                                          const FoundAssembly& found) {
  return !place.beginning && !assembly.version.empty() && !found.manifest.version.empty() &&
         assembly.version != found.manifest.version;
}

std::optional<ActivationContexts::FoundAssembly> ActivationContexts::look_at(const AssemblyPlace& place) {
  if (!place.beginning) {
    const auto file = tree_.find(place.path());
    auto manifest = file ? read(*file) : std::nullopt;
    if (!manifest) return std::nullopt;
    return FoundAssembly{std::move(*manifest), place.folder, place.path(), ""};
  }
  const auto folder = tree_.find(place.folder);
  if (!folder) return std::nullopt;
  // Of several versions a publisher's policy takes the newest, which stands last.
  const auto& names = images_.list(*folder);
  const auto name = std::find_if(names.rbegin(), names.rend(),
                                 [&](const std::string& one) { return folded(one).starts_with(place.name); });
  auto manifest = name == names.rend() ? std::nullopt : read(*folder + "/" + *name);
  if (!manifest) return std::nullopt;
  // The files lie in a folder beside Manifests that is called like the manifest.
  const auto stem = name->substr(0, name->rfind('.'));
  return FoundAssembly{std::move(*manifest), windows_join(windows_folder(place.folder), stem),
                       windows_join(place.folder, *name), ""};
}

std::optional<Manifest> ActivationContexts::read(const std::string& tree_path) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  if (images_.folder_exists(tree_path)) return std::nullopt;
  if (folded(tree_path).ends_with(".dll")) {
    // An assembly of one DLL holds its own manifest as resource 1.
    const auto& opened = images_.open(tree_path);
    if (opened.error || !opened.image->pe) return std::nullopt;
    for (const auto& manifest : opened.image->pe->manifests)
      if (manifest.id == 1) return manifest;
    return std::nullopt;
  }
  const auto text = read_file(images_.files(), tree_path, most_bytes);
  // Many files may have the same large manifest.
  if (!text || !images_.budget().read(text->size())) return std::nullopt;
  return parse_manifest(*text);
}

}  // namespace cudald

#include <algorithm>

#include <cudald/image.h>

#include "process/process.h"

namespace cudald {
namespace {

// dl-version.c, find_needed: by the names that objects answer to, DT_SONAME included once it was asked for.
std::optional<ObjectId> find_provider(const Resolution& resolution, const std::string& file) {
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (object.unmapped) continue;
    if (object.image->soname == file || std::find(object.names.begin(), object.names.end(), file) != object.names.end())
      return id;
  }
  return std::nullopt;
}

bool defines(const Image& image, const NeededVersion& version) {
  return std::any_of(image.elf.version_definitions.begin(), image.elf.version_definitions.end(),
                     [&](const VersionDefinition& definition) {
                       return definition.hash == version.hash && definition.name == version.name;
                     });
}

}  // namespace

void find_version_problems(Resolution& resolution, ObjectId first) {
  if (resolution.libc.kind != LibcKind::glibc) return;
  for (ObjectId id = first; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    for (const auto& need : object.image->elf.version_needs) {
      const auto provider = find_provider(resolution, need.file);
      if (!provider) continue;  // the missing library is told of already
      const auto& from = resolution.objects[*provider];
      if (from.dynamic_loader && from.image->elf.version_definitions.empty()) continue;  // not in this root
      const bool no_table = from.image->elf.version_definitions.empty();
      for (const auto& version : need.versions) {
        if (!no_table && defines(*from.image, version)) continue;
        const auto text = no_table ? "no version information available (required by " + object.load_name + ")"
                                   : (version.weak ? "weak version `" : "version `") + version.name +
                                         "' not found (required by " + object.load_name + ")";
        resolution.version_problems.push_back(
            {id, provider, need.file, version.name, version.weak, no_table, from.load_name + ": " + text});
      }
    }
  }
  for (const auto& problem : resolution.version_problems) {
    if (problem.object < first || problem.weak || problem.no_versions_at_all) continue;
    auto& target = resolution.targets[resolution.objects[problem.object].target];
    if (target.error.empty()) target.error = problem.message;
  }
}

}  // namespace cudald

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <cudald/image.h>

#include "process/process.h"

namespace cudald {
namespace {

/// Looks names and versions up; there may be tens of thousands of each.
class VersionFinder {
 public:
  explicit VersionFinder(const Resolution& resolution) : resolution_(resolution) {}

  // dl-version.c, find_needed: by the names that objects answer to, DT_SONAME included once it was asked for.
  std::optional<ObjectId> provider(const std::string& file) {
    if (providers_.empty()) index_names();
    const auto found = providers_.find(file);
    return found == providers_.end() ? std::nullopt : std::optional(found->second);
  }

  bool defines(const Image& image, const NeededVersion& version) {
    const auto [place, is_new] = definitions_.try_emplace(&image);
    if (is_new)
      for (const auto& definition : image.elf.version_definitions)
        place->second.insert({definition.hash, definition.name});
    return place->second.contains({version.hash, version.name});
  }

 private:
  void index_names() {
    for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
      const auto& object = resolution_.objects[id];
      if (object.unmapped) continue;
      if (object.image->soname) providers_.try_emplace(*object.image->soname, id);
      for (const auto& name : object.names) providers_.try_emplace(name, id);
    }
  }

  const Resolution& resolution_;
  std::unordered_map<std::string_view, ObjectId> providers_;
  std::unordered_map<const Image*, std::set<std::pair<std::uint32_t, std::string_view>>> definitions_;
};

/// A loader that nothing needs is taken off the list before versions are checked (glibc elf/rtld.c, dl_main:
/// rtld_multiple_ref).
bool is_unlisted_loader(const Resolution& resolution, ObjectId id) {
  return resolution.objects[id].dynamic_loader &&
         std::none_of(resolution.targets.begin(), resolution.targets.end(), [&](const Target& target) {
           return std::find(target.search_list.begin(), target.search_list.end(), id) != target.search_list.end();
         });
}

}  // namespace

void find_version_problems(Resolution& resolution, ObjectId first) {
  if (resolution.libc.kind != LibcKind::glibc) return;
  VersionFinder finder(resolution);
  for (ObjectId id = first; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (is_unlisted_loader(resolution, id)) continue;
    for (const auto& need : object.image->elf.version_needs) {
      const auto provider = finder.provider(need.file);
      if (!provider) continue;  // the missing library is told of already
      const auto& from = resolution.objects[*provider];
      if (from.dynamic_loader && from.image->elf.version_definitions.empty()) continue;  // not in this root
      if (from.known_by_name) continue;
      const bool no_table = from.image->elf.version_definitions.empty();
      for (const auto& version : need.versions) {
        if (!no_table && finder.defines(*from.image, version)) continue;
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

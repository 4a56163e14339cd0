#include "loader/glibc/versions.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <cudald/image.h>

namespace cudald {
namespace {

constexpr const char* no_provider =
    "Inconsistency detected by ld.so: dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!";

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

  struct Answer {
    bool defined = false;
    std::optional<std::uint16_t> unknown_format;  ///< of the record that ended the search
  };

  // dl-version.c, match_symbol: record by record, and none is passed over whose format it does not know.
  Answer look_up(const Image& image, const NeededVersion& version) {
    constexpr std::size_t most_gone_through = 256;  // to look at the hashes of so many costs less than an index
    const auto& definitions = image.elf.version_definitions;
    if (definitions.size() > most_gone_through) return look_up_in_index(image, version);
    for (const auto& definition : definitions) {
      if (definition.format != 1) return {false, definition.format};
      if (definition.hash == version.hash && definition.name == version.name) return {true, std::nullopt};
    }
    return {false, std::nullopt};
  }

 private:
  struct Definitions {
    std::set<std::pair<std::uint32_t, std::string_view>> versions;  ///< that the loader comes to
    std::optional<std::uint16_t> unknown_format;
  };

  Answer look_up_in_index(const Image& image, const NeededVersion& version) {
    const auto [place, is_new] = definitions_.try_emplace(&image);
    auto& known = place->second;
    if (is_new)
      for (const auto& definition : image.elf.version_definitions) {
        if (definition.format != 1) {
          known.unknown_format = definition.format;
          break;
        }
        known.versions.insert({definition.hash, definition.name});
      }
    if (known.versions.contains({version.hash, version.name})) return {true, std::nullopt};
    return {false, known.unknown_format};
  }

  void index_names() {
    constexpr std::size_t usual_names = 3;
    providers_.reserve(usual_names * resolution_.objects.size());
    for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
      const auto& object = resolution_.objects[id];
      if (object.unmapped) continue;
      if (object.image->soname) providers_.try_emplace(*object.image->soname, id);
      for (const auto& name : object.names) providers_.try_emplace(name, id);
    }
  }

  const Resolution& resolution_;
  std::unordered_map<std::string_view, ObjectId> providers_;
  std::unordered_map<const Image*, Definitions> definitions_;
};

/// A loader that nothing needs is taken off the list before versions are checked (glibc elf/rtld.c, dl_main:
/// rtld_multiple_ref).
bool is_unlisted_loader(const Resolution& resolution, ObjectId id) {
  return resolution.objects[id].dynamic_loader &&
         std::none_of(resolution.targets.begin(), resolution.targets.end(), [&](const Target& target) {
           return std::find(target.search_list.begin(), target.search_list.end(), id) != target.search_list.end();
         });
}

/// What the loader says of a version that it does not find in `from`.
VersionProblem problem_of(const Object& from, const Object& object, const NeededVersion& version,
                          std::optional<std::uint16_t> unknown_format) {
  VersionProblem problem;
  problem.version = version.name;
  problem.weak = version.weak;
  problem.no_versions_at_all = from.image->elf.version_definitions.empty();
  problem.unknown_format = unknown_format;
  const auto by = "(required by " + object.load_name + ")";
  problem.message = from.load_name + ": ";
  if (unknown_format)
    problem.message += "unsupported version " + std::to_string(*unknown_format) + " of Verdef record";
  else if (problem.no_versions_at_all)
    problem.message += "no version information available " + by;
  else
    problem.message += (version.weak ? "weak version `" : "version `") + version.name + "' not found " + by;
  return problem;
}

bool stops_the_loader(const VersionProblem& problem) {
  return problem.unknown_format || (!problem.weak && !problem.no_versions_at_all);
}

/// Whether a file needs versions of a library that neither it nor anybody else asks for, as patchelf --remove-needed
/// leaves it: the loader takes for granted that it is there. What is known by its name alone may ask for it.
bool is_never_loaded(const Object& object, const std::string& file, const Resolution& resolution) {
  const auto& needed = object.image->elf.needed;
  return std::none_of(needed.begin(), needed.end(), [&](const Needed& each) { return each.name == file; }) &&
         std::none_of(resolution.objects.begin(), resolution.objects.end(), [&](const Object& each) {
           return each.known_by_name || std::any_of(each.edges.begin(), each.edges.end(),
                                                    [&](const Edge& edge) { return edge.name == file; });
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
      if (!provider) {
        if (is_never_loaded(object, need.file, resolution)) resolution.objections.push_back({id, no_provider});
        continue;  // else the missing library is told of already
      }
      const auto& from = resolution.objects[*provider];
      if (from.dynamic_loader && from.image->elf.version_definitions.empty()) continue;  // not in this root
      if (from.known_by_name) continue;
      for (const auto& version : need.versions) {
        const auto answer = finder.look_up(*from.image, version);
        if (answer.defined) continue;
        auto problem = problem_of(from, object, version, answer.unknown_format);
        problem.object = id;
        problem.provider = provider;
        problem.file = need.file;
        resolution.version_problems.push_back(std::move(problem));
      }
    }
  }
  for (const auto& objection : resolution.objections) {
    auto& target = resolution.targets[resolution.objects[objection.object].target];
    if (objection.message == no_provider && target.error.empty()) target.error = objection.message;
  }
  for (const auto& problem : resolution.version_problems) {
    if (problem.object < first || !stops_the_loader(problem)) continue;
    auto& target = resolution.targets[resolution.objects[problem.object].target];
    if (target.error.empty()) target.error = problem.message;
  }
}

}  // namespace cudald

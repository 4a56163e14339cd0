// A program brings some of its libraries along and takes others from the system, which is older than the one that it
// was built on: an AppImage with libpango, and without libharfbuzz.
// Source: AppImage, excludelist; github.com/arteme/pod-ui issue 17.

#include "check/fixes/system_copy.h"

#include <algorithm>
#include <set>

#include <cudald/image.h>

#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/patchelf_fix.h"
#include "loader/loader.h"

namespace cudald {
namespace {

constexpr std::size_t most_files = 128;

using Names = std::set<std::string, std::less<>>;

/// What the search finds in the system's directories for the request that found the bundled one.
std::string found_in_system(const Case& given, ObjectId bundled) {
  const auto& report = given.report;
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id)
    for (const auto& edge : report.resolution.objects[id].edges) {
      if (edge.object != bundled || edge.status != EdgeStatus::loaded || edge.name.find('/') != std::string::npos)
        continue;
      const Request request{edge.name, edge.kind, id, edge.kind == EdgeKind::dlopen};
      for (const auto& candidate : given.loader->candidates(request, report.resolution).candidates) {
        const bool of_system = candidate.rule == SearchRule::cache || candidate.rule == SearchRule::default_folder;
        if (!of_system || !candidate.refusal.empty()) continue;
        const auto& opened = given.store.images.open(absolute_path(candidate.path, report.query.environment.cwd));
        if (given.loader->judge(opened, request).action != Judgement::Action::take) continue;
        return opened.status.id == report.resolution.objects[bundled].id ? "" : opened.real_path;
      }
      return "";
    }
  return "";
}

/// The functions that a file defines.
Names definitions_of(const Case& given, const Object& object) {
  Names names;
  given.store.symbols.get(object)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (defined) names.emplace(name);
  });
  return names;
}

/// Whether the process, with the other copy in the place of the bundled one, has all that its files ask for, as far as
/// these two have a part in it.
bool serves(const Case& given, const Object& bundled, const Object& other) {
  const auto& objects = given.report.resolution.objects;
  if (objects.size() > most_files) return false;
  const auto has = definitions_of(given, other), had = definitions_of(given, bundled);
  const auto all = references_of(given, other);
  Names asked = all;
  for (const auto& name : references_of(given, bundled)) asked.erase(name);
  for (const auto& missing : given.report.symbols->missing)
    if (&objects[missing.object] == &bundled && all.contains(missing.name)) return false;
  for (const auto& object : objects) {
    if (&object == &bundled || !object.image) continue;
    for (const auto& name : references_of(given, object))
      if (had.contains(name) && !has.contains(name)) return false;
    given.store.symbols.get(object)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
      if (const auto found = defined ? asked.find(name) : asked.end(); found != asked.end()) asked.erase(found);
    });
  }
  return std::all_of(asked.begin(), asked.end(), [&](const std::string& name) { return has.contains(name); });
}

}  // namespace

std::string system_copy_of(const Case& given, const Object& bundled) {
  if (given.loader == nullptr || !given.report.symbols || is_system_path(bundled.path) || !bundled.image->soname)
    return "";
  const auto id = static_cast<ObjectId>(&bundled - given.report.resolution.objects.data());
  const auto path = found_in_system(given, id);
  if (path.empty()) return "";
  Object other;
  other.path = path;
  other.image = given.store.images.open(path).image;
  return other.image->soname == bundled.image->soname && serves(given, bundled, other) ? path : "";
}

}  // namespace cudald

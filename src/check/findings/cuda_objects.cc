#include "check/findings/cuda_objects.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/listed.h"
#include "base/path.h"
#include "check/findings/checks.h"

namespace cudald {

CudaPlatform platform_of(const Report& report) {
  return report.resolution.windows ? CudaPlatform::windows : CudaPlatform::linux;
}

const Knowledge& knowledge_of(const Report& report) { return *report.knowledge; }

std::vector<ObjectId> cuda_objects(const Resolution& resolution, CudaKind kind, bool later) {
  std::vector<ObjectId> found;
  std::set<std::string> known;
  const auto& objects = resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& object = objects[id];
    const bool counts = !object.unmapped || (later && is_later(resolution.targets[object.target]));
    if (counts && object.cuda && object.cuda->kind == kind && !object.cuda->is_static &&
        known.insert(object.path).second)
      found.push_back(id);
  }
  return found;
}

std::vector<ObjectId> objects_with_linked_runtime(const Resolution& resolution) {
  std::vector<ObjectId> found;
  const auto& objects = resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id)
    if (!objects[id].unmapped && objects[id].cuda && objects[id].cuda->is_static) found.push_back(id);
  return found;
}

std::vector<ObjectId> all_runtimes(const Resolution& resolution) {
  auto runtimes = cuda_objects(resolution, CudaKind::cudart);
  const auto linked = objects_with_linked_runtime(resolution);
  runtimes.insert(runtimes.end(), linked.begin(), linked.end());
  return runtimes;
}

bool is_of_nvidia(const Object& object) {
  constexpr std::string_view names[] = {"libcu", "libnv", "libnpp", "libnccl", "cu", "nv", "npp"};
  if (object.package) return object.package->name.starts_with("nvidia-");
  const auto name = file_name(object.path);
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::string described(const Object& object) {
  if (object.cuda->is_static)
    return fmt::format("{}{}{} inside {}", product_name(object.cuda->kind), object.cuda->version.empty() ? "" : " ",
                       object.cuda->version, short_name(object));
  return fmt::format("{}, {} {}", short_name(object), product_name(object.cuda->kind), object.cuda->version);
}

std::vector<ObjectId> users_of(const Report& report, ObjectId wanted) {
  std::vector<ObjectId> users;
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& edges = objects[id].edges;
    if (!objects[id].unmapped &&
        std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.object == wanted; }))
      users.push_back(id);
  }
  return users;
}

std::string listed_names(const Report& report, const std::vector<ObjectId>& ids) {
  std::vector<std::string> names;
  for (const auto id : ids)
    if (auto name = short_name(report.resolution.objects[id]);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  constexpr std::size_t shown = 3;
  return listed(names, shown);
}

std::vector<int> cuda_majors_of(std::string_view library, const Knowledge& knowledge) {
  std::set<int> majors;
  for (const auto& release : knowledge.releases_of(library)) {
    const int first = std::atoi(release.first.c_str());
    const int last = release.last.empty() ? knowledge.newest_major() : std::atoi(release.last.c_str());
    for (int major = first; major <= last; ++major) majors.insert(major);
  }
  return {majors.begin(), majors.end()};
}

}  // namespace cudald

#include "process/process_record.h"

#include <algorithm>

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {

ObjectId ProcessRecord::add_object(Object object) {
  object.target = resolution_.targets.size() - 1;
  resolution_.objects.push_back(std::move(object));
  return resolution_.objects.size() - 1;
}

Target& ProcessRecord::add_target(const std::string& given, TargetKind kind) {
  Target target;
  target.given = given;
  target.kind = kind;
  target.part_of = whole_;
  resolution_.targets.push_back(std::move(target));
  return resolution_.targets.back();
}

Target& ProcessRecord::add_request(const std::string& given, const DlopenRequest& call, ObjectId caller) {
  auto& target = add_target(given, TargetKind::dlopen);
  target.caller = caller;
  target.traits = call.traits;
  return target;
}

std::string ProcessRecord::constant_key(std::string_view name) const {
  return resolution_.windows ? folded(name) : std::string(name);
}

std::set<std::string> ProcessRecord::names_asked_by_path() const {
  std::set<std::string> names;
  for (const auto& object : resolution_.objects)
    for (const auto& edge : object.edges) {
      const auto base = resolution_.windows ? windows_file_name(edge.name) : file_name(edge.name);
      if (base.size() != edge.name.size()) names.insert(constant_key(base));
    }
  return names;
}

std::set<std::string> ProcessRecord::names_known_better(ObjectId id, std::set<std::string> known) const {
  const auto& objects = resolution_.objects;
  known.insert(constant_key(file_name(objects[id].path)));
  // Of Windows, the program makes all requests that a table knows of.
  for (const auto* edges : {&objects[id].edges, &objects.front().edges})
    for (const auto& edge : *edges) {
      if (edges != &objects[id].edges && !resolution_.windows) continue;
      known.insert(constant_key(edge.name));
      known.insert(edge.known.pieces.begin(), edge.known.pieces.end());
    }
  return known;
}

void ProcessRecord::note_constants(ImageStore& images, ConstantScope scope,
                                   const std::function<Edge(const std::string&, ObjectId)>& search) {
  if (scope == ConstantScope::none) return;
  const auto& objects = resolution_.objects;
  std::size_t left_out = 0;
  std::vector<ObjectId> searched;
  std::vector<std::string> paths;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    if (objects[id].unmapped || objects[id].known_by_name || objects[id].dynamic_loader) continue;
    const auto access = images.access(objects[id].path);
    if (access == FileAccess::none) continue;
    if (scope == ConstantScope::files && access == FileAccess::stream) {
      ++left_out;
      continue;
    }
    searched.push_back(id);
    paths.push_back(objects[id].path);
  }
  images.prefetch_library_texts(paths);
  std::optional<std::set<std::string>> asked_by_path;
  for (const auto id : searched) {
    const auto& texts = images.library_texts(objects[id].path);
    if (texts.texts.empty()) continue;  // as of most
    if (!asked_by_path) asked_by_path = names_asked_by_path();
    const auto known = names_known_better(id, *asked_by_path);
    for (const auto& text : texts.texts) {
      if (known.contains(constant_key(text.name))) continue;
      auto edge = search(text.name, id);
      edge.hard = false;
      edge.known.function = texts.function;
      edge.known.text_at = text.offset;
      resolution_.objects[id].may_open.push_back(std::move(edge));
    }
  }
  resolution_.constants_left_out = left_out;
}

void ProcessRecord::begin(const std::string& given, TargetKind kind, bool owns_start) {
  const auto index = resolution_.targets.size();
  add_target(given, kind);
  whole_ = index;
  if (owns_start) resolution_.targets.front().part_of = index;
}

void ProcessRecord::blame(const std::vector<std::size_t>& targets) {
  for (const auto index : targets) resolution_.targets[index].traits.optional = false;
}

void ProcessRecord::warn(const std::vector<std::size_t>& targets) {
  for (const auto index : targets) resolution_.targets[index].traits.warned = true;
}

void ProcessRecord::doubt(const std::vector<std::size_t>& targets) {
  for (const auto index : targets) resolution_.targets[index].traits.when = RequestTime::unreached;
}

void ProcessRecord::blame_all_since(std::size_t first_target) {
  for (auto index = first_target; index < resolution_.targets.size(); ++index)
    if (auto& target = resolution_.targets[index]; target.traits.when != RequestTime::later && !target.error.empty())
      target.traits.optional = false;
}

void ProcessRecord::refuse(const std::string& given, Error error) {
  const bool first = resolution_.targets.empty();
  add_target(given, first ? TargetKind::start : TargetKind::dlopen).unreadable = std::move(error);
}

bool ProcessRecord::has_mapped(const std::string& path) const {
  return std::any_of(resolution_.objects.begin(), resolution_.objects.end(),
                     [&](const Object& object) { return !object.unmapped && object.path == path; });
}

}  // namespace cudald

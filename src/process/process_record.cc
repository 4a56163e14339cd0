#include "process/process_record.h"

#include <algorithm>
#include <set>

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

void ProcessRecord::note_constants(ImageStore& images, ConstantScope scope,
                                   const std::function<Edge(const std::string&, ObjectId)>& search) {
  if (scope == ConstantScope::none) return;
  const auto& objects = resolution_.objects;
  const auto key = [this](std::string_view name) { return resolution_.windows ? folded(name) : std::string(name); };
  std::size_t left_out = 0;
  std::vector<ObjectId> searched;
  std::vector<std::string> paths;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    if (objects[id].unmapped || objects[id].known_by_name || objects[id].dynamic_loader) continue;
    const auto file = images.files().open(objects[id].path);
    if (!file) continue;
    if (scope == ConstantScope::files && (*file)->is_stream()) {
      ++left_out;
      continue;
    }
    searched.push_back(id);
    paths.push_back(objects[id].path);
  }
  images.prefetch_library_texts(paths);
  // A file that is asked for by its path is the one that a text without a folder was put behind one for.
  std::set<std::string> asked_by_path;
  for (const auto& object : objects)
    for (const auto& edge : object.edges) {
      const auto base = resolution_.windows ? windows_file_name(edge.name) : file_name(edge.name);
      if (base.size() != edge.name.size()) asked_by_path.insert(key(base));
    }
  for (const auto id : searched) {
    const auto path = objects[id].path;
    // What a note or a table says of it is known better; of Windows, the program makes all such requests.
    auto known = asked_by_path;
    known.insert(key(file_name(path)));
    for (const auto* edges : {&objects[id].edges, &objects.front().edges})
      for (const auto& edge : *edges) {
        if (edges != &objects[id].edges && !resolution_.windows) continue;
        known.insert(key(edge.name));
        known.insert(edge.known.pieces.begin(), edge.known.pieces.end());
      }
    const auto& texts = images.library_texts(path);
    for (const auto& text : texts.texts) {
      if (known.contains(key(text.name))) continue;
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

#include "process/process.h"

#include <algorithm>
#include <cerrno>

#include <cudald/image.h>

#include "base/path.h"
#include "knowledge/gpu_use.h"
#include "knowledge/known_dlopens.h"
#include "loader/glibc/versions.h"
#include "process/program_start.h"

namespace cudald {

Process::Process(ImageStore& images, const ElfLoader& loader, const Environment& environment,
                 const Knowledge& knowledge)
    : Walk(images), loader_(loader), environment_(environment), knowledge_(knowledge) {
  resolution_.libc = loader.libc();
  resolution_.notes = loader.notes();
  resolution_.limits = loader.limits();
}

std::string Process::absolute(const std::string& path) const { return absolute_path(path, environment_.cwd); }

void Process::end(std::string error) {
  // Whatever fails first: the start comes before all requests.
  const auto& start = resolution_.targets.front();
  Walk::end(start.part_of == whole_ && !start.error.empty() ? start.error : std::move(error));
}

void Process::start(const std::string& given, const std::string& path, const std::string& interpreter) {
  const auto& opened = images_.open(absolute(path));
  resolution_.machine = opened.image->machine;
  add_target(given, TargetKind::start);

  Object program;
  program.path = opened.real_path;
  program.load_name = path;
  program.image = opened.image;
  program.main_program = true;
  // The kernel gives a program's resolved path (/proc/self/exe); a library goes to ld.so by the name it was given.
  const bool executable = opened.image->elf.interpreter.has_value();
  program.origin = executable ? std::string(parent_path(opened.real_path)) : loader_.origin(path);
  program.names = {""};  // glibc leaves the program's own name empty
  if (!executable) program.names.push_back(path);
  if (loader_.knows_program_file()) program.id = opened.status.id;
  resolution_.targets.back().object = add_object(std::move(program));
  std::vector<Listed> list{{0}};
  auto refusal = refusal_of_interpreter(opened, path, interpreter);
  if (refusal.empty()) {
    refusal = refusal_of_start(opened, path, interpreter);
    if (!refusal.empty()) resolution_.objections.push_back({0, refusal});
  }
  if (!refusal.empty()) {
    resolution_.targets.back().error = std::move(refusal);
  } else if (opened.image->elf.has_dynamic_segment && !opened.image->elf.empty_dynamic_segment) {
    add_dynamic_loader(interpreter);
    preload(list);
    map_needs(list, 0);
  }
  finish_target(list, 0);
  make_known_requests(0, 0);
}

std::string Process::refusal_of_interpreter(const OpenedFile& program, const std::string& path,
                                            const std::string& interpreter) {
  if (!program.image->elf.interpreter) return "";
  switch (interpreter_kind(images_.open(absolute(interpreter)), *program.image, images_)) {
    case InterpreterKind::other_file: return path + ": Accessing a corrupted shared library";
    case InterpreterKind::stub: return interpreter + ": not a dynamic loader";
    case InterpreterKind::loader:
    case InterpreterKind::absent: break;  // a root without its loader can still be judged
  }
  return "";
}

std::string Process::refusal_of_start(const OpenedFile& program, const std::string& path,
                                      const std::string& interpreter) {
  if (program.image->elf.interpreter)
    if (auto text = refusal_of_kernel(program, images_.open(absolute(interpreter)), path); !text.empty()) return text;
  return loader_.start_refusal(program, path);
}

void Process::start_host(const std::string& given, std::uint16_t machine, Format format,
                         const std::string& interpreter) {
  resolution_.machine = machine;
  add_target(given, TargetKind::start);
  auto image = std::make_shared<Image>();
  image->machine = machine;
  image->format = format;
  image->type = FileType::executable;
  image->elf.has_dynamic_segment = true;
  image->elf.executable_stack = false;
  Object host;
  host.path = host.load_name = "(the program that imports it)";
  host.main_program = true;
  host.image = std::move(image);
  host.names = {""};
  resolution_.targets.back().object = add_object(std::move(host));
  std::vector<Listed> list{{0}};
  add_dynamic_loader(interpreter);
  preload(list);
  map_needs(list, 0);
  finish_target(list, 0);
}

void Process::add_dynamic_loader(const std::string& interpreter) {
  const auto& opened = images_.open(absolute(interpreter));
  Object loader;
  loader.load_name = interpreter;
  loader.names = {interpreter};
  loader.dynamic_loader = true;
  loader.origin = loader_.origin(interpreter);
  if (opened.error) {
    // A root without its loader can still be judged; the loader answers to its own name.
    loader.image = image_known_by_name(ImageSource::promise, std::string(file_name(interpreter)));
    loader.known_by_name = true;
    loader.path = interpreter;
  } else {
    loader.image = opened.image;
    loader.path = opened.real_path;
    loader.id = opened.status.id;
  }
  add_object(std::move(loader));
}

void Process::preload(std::vector<Listed>& list) {
  for (const auto& name : loader_.preloads()) {
    auto edge = resolve({name, EdgeKind::preload, 0, false}, false);
    if (edge.object &&
        std::none_of(list.begin(), list.end(), [&](const Listed& listed) { return listed.object == *edge.object; }))
      list.push_back({*edge.object});
    resolution_.objects.front().edges.push_back(std::move(edge));
  }
}

/// What the file itself says it will dlopen: tried as its dlopen would, nothing is mapped.
void Process::mapped(ObjectId id) {
  const auto image = resolution_.objects[id].image;
  for (const auto& note : image->elf.dlopen_notes) {
    std::optional<Edge> best;
    for (const auto& soname : note.sonames) {
      auto edge = resolve_softly({soname, EdgeKind::dlopen, id, true});
      const bool found = edge.status == EdgeStatus::not_loaded || edge.status == EdgeStatus::already_loaded;
      if (!best || found) best = std::move(edge);
      if (found) break;
    }
    resolution_.objects[id].edges.push_back(std::move(*best));
  }
}

void Process::note_soft_dlopen(const std::string& name, ObjectId caller, const std::string& asked_at) {
  auto edge = resolve_softly(call_of(name, caller));
  edge.asked_at = asked_at;
  resolution_.objects[caller].edges.push_back(std::move(edge));
}

bool Process::finds(const std::string& name, ObjectId caller) {
  const auto status = resolve_softly(call_of(name, caller)).status;
  return status == EdgeStatus::not_loaded || status == EdgeStatus::already_loaded;
}

std::optional<std::string> Process::place_of(const std::string& path) { return absolute(path); }

ImageStore::FolderState Process::folder_state(const std::string& path) const {
  return images_.folder_state(std::string(parent_path(absolute(path))));
}

// What one use has loaded is there for the next.
bool Process::is_there(const Object& object) const {
  return !object.unmapped || (is_later(resolution_.targets.back()) && is_later(resolution_.targets[object.target]));
}

bool Process::settle(const Request& request, Edge& edge) {
  if (take_stated_driver(request, edge)) return true;
  name_dangling_links(edge);
  return false;
}

/// To the loader a symbolic link that leads nowhere is not there; to the user it is.
void Process::name_dangling_links(Edge& edge) {
  for (auto& probe : edge.search.probes) {
    if (probe.result != ProbeResult::absent || !probe.detail.empty()) continue;
    // In a folder that is not there nothing is.
    if (folder_state(probe.path) == ImageStore::FolderState::folder && images_.has_name(absolute(probe.path)))
      probe.detail = "a symbolic link that leads to no file";
  }
}

/// A library of the driver that the user says is there, where the tree has none.
bool Process::take_stated_driver(const Request& request, Edge& edge) {
  const bool stated = environment_.any_driver || !environment_.driver.empty();
  if (!stated || !is_driver_library(request.name)) return false;
  Object object;
  const auto version = environment_.driver.empty() ? "" : " " + environment_.driver;
  object.path = object.load_name = "(driver" + version + ")/" + request.name;
  object.names = {object.path, request.name};
  object.image = image_known_by_name(ImageSource::driver, request.name);
  object.known_by_name = true;
  object.loader = brought_in_by(request);
  edge.status = EdgeStatus::loaded;
  edge.rule = SearchRule::default_folder;
  edge.search.probes.push_back(
      {object.path, edge.rule, std::nullopt, ProbeResult::found,
       environment_.driver.empty() ? "a driver is assumed present" : "the driver was stated with --driver", false,
       false, 0});
  edge.object = add_object(std::move(object));
  return true;
}

std::size_t Process::dlopen(const std::string& given, const DlopenRequest& call, ObjectId caller) {
  const auto first_new = resolution_.objects.size();
  const auto number = resolution_.targets.size();
  auto& target = add_request(given, call, caller);
  auto edge = resolve(call_of(call.name, caller), false);
  edge.asked_at = call.traits.asked_at;
  edge.known = call.known;
  target.object = edge.object;
  target.error = edge.error;
  std::vector<Listed> list;
  if (edge.object) {
    list.push_back({*edge.object});
    map_needs(list, first_new);
  }
  if (call.traits.when == RequestTime::later && edge.status == EdgeStatus::loaded) edge.status = EdgeStatus::not_loaded;
  resolution_.objects[caller].edges.push_back(std::move(edge));
  finish_target(list, first_new);
  make_known_requests(number, first_new);
  return number;
}

/// What the libraries that a target has mapped open by themselves, as far as a table knows.
void Process::make_known_requests(std::size_t target, ObjectId first_new) {
  const auto end = resolution_.objects.size();
  const bool later = is_later(resolution_.targets[target]);
  if (!resolution_.targets[target].error.empty()) return;
  for (auto id = first_new; id < end; ++id) {
    const auto& object = resolution_.objects[id];
    for (auto& known : known_dlopens(object.image->soname.value_or(""), object.path, images_.files(), knowledge_)) {
      const auto& asker = resolution_.objects[id];
      if (!is_opened_by(known, asker.path, *asker.image, images_)) continue;
      if (later) known.call.traits.when = RequestTime::later;
      const auto number = dlopen(known.call.name, known.call, id);
      auto& request = resolution_.targets[number];
      if (!request.part_of) request.part_of = resolution_.targets[target].part_of.value_or(target);
    }
  }
}

void Process::finish_target(const std::vector<Listed>& list, std::size_t first_new) {
  auto& target = resolution_.targets.back();
  for (const auto& listed : list) {
    target.search_list.push_back(listed.object);
    if (listed.object < first_new || !target.error.empty()) continue;
    for (const auto& edge : resolution_.objects[listed.object].edges)
      if (edge.hard && !edge.object && target.error.empty()) target.error = edge.error;
  }
  for (const auto& listed : list)
    if (auto text = listed.object >= first_new ? loader_.objection(listed.object, resolution_) : ""; !text.empty()) {
      if (target.error.empty()) target.error = text;
      resolution_.objections.push_back({listed.object, std::move(text)});
    }
  find_version_problems(resolution_, first_new);
  if (target.kind == TargetKind::dlopen && (is_later(target) || !target.error.empty()))
    for (auto id = first_new; id < resolution_.objects.size(); ++id) resolution_.objects[id].unmapped = true;
}

bool Process::has_loaded(const std::string& name, ObjectId caller) {
  return resolve_softly(call_of(name, caller)).status == EdgeStatus::already_loaded;
}

std::optional<ObjectId> Process::object_of(const std::string& name, ObjectId caller) {
  const auto edge = resolve_softly(call_of(name, caller));
  return edge.status == EdgeStatus::already_loaded ? edge.object : std::nullopt;
}

std::optional<ObjectId> Process::find(const std::string& name) const {
  for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
    const auto& object = resolution_.objects[id];
    if (object.image->soname == name || object.path == name || object.load_name == name ||
        file_name(object.path) == name || file_name(object.load_name) == name ||
        std::find(object.names.begin(), object.names.end(), name) != object.names.end())
      return id;
  }
  return std::nullopt;
}

Resolution Process::take() {
  std::vector<ObjectId> order;
  std::vector<std::optional<ObjectId>> renumbered(resolution_.objects.size());
  const auto number = [&](ObjectId id) {
    if (renumbered[id]) return;
    renumbered[id] = order.size();
    order.push_back(id);
  };
  for (const auto& target : resolution_.targets) {
    // What the program's own DT_FILTER names stands before it in the search list; the program stays the first object.
    if (target.kind == TargetKind::start && target.object) number(*target.object);
    for (const auto id : target.search_list) number(id);
  }
  const auto renumber = [&renumbered](std::optional<ObjectId>& id) {
    if (id) id = renumbered[*id];
  };
  std::vector<Object> objects;
  objects.reserve(order.size());
  for (const auto id : order) objects.push_back(std::move(resolution_.objects[id]));
  for (auto& object : objects) {
    renumber(object.loader);
    for (auto* edges : {&object.edges, &object.may_open})
      for (auto& edge : *edges) {
        renumber(edge.object);
        for (auto& probe : edge.search.probes) renumber(probe.of);
        for (auto& skipped : edge.search.skipped) renumber(skipped.of);
      }
  }
  resolution_.objects = std::move(objects);
  for (auto& objection : resolution_.objections) objection.object = *renumbered[objection.object];
  auto& problems = resolution_.version_problems;
  for (auto& problem : problems) {
    problem.object = *renumbered[problem.object];
    renumber(problem.provider);
  }
  std::stable_sort(problems.begin(), problems.end(),
                   [](const VersionProblem& a, const VersionProblem& b) { return a.object < b.object; });
  for (auto& target : resolution_.targets) {
    renumber(target.object);
    renumber(target.caller);
    for (auto& id : target.search_list) id = *renumbered[id];
  }
  return std::move(resolution_);
}

}  // namespace cudald

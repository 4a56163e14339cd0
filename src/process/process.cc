#include "process/process.h"

#include <algorithm>
#include <cerrno>

#include <cudald/image.h>

#include "base/path.h"
#include "cuda/gpu_use.h"
#include "process/known_dlopens.h"

namespace cudald {

Process::Process(ImageStore& images, const Loader& loader, const Environment& environment)
    : images_(images), loader_(loader), environment_(environment) {
  resolution_.libc = loader.libc();
  resolution_.notes = loader.notes();
}

std::string Process::absolute(const std::string& path) const { return absolute_path(path, environment_.cwd); }

void Process::end(std::string error) {
  auto& whole = resolution_.targets[*whole_];
  // Whatever fails first: the start comes before all requests.
  const auto& start = resolution_.targets.front();
  whole.error = start.part_of == whole_ && !start.error.empty() ? start.error : std::move(error);
  whole_.reset();
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
  if (opened.image->elf.has_dynamic_segment && !opened.image->elf.empty_dynamic_segment) {
    add_dynamic_loader(interpreter);
    preload(list);
    map_dependencies(list, 0);
  }
  finish_target(list, 0);
  make_known_requests(0, 0);
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
  Object host;
  host.path = host.load_name = "(the program that imports it)";
  host.main_program = true;
  host.image = std::move(image);
  host.names = {""};
  resolution_.targets.back().object = add_object(std::move(host));
  std::vector<Listed> list{{0}};
  add_dynamic_loader(interpreter);
  preload(list);
  map_dependencies(list, 0);
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
    auto image = std::make_shared<Image>(*resolution_.objects.front().image);
    *image = Image{};
    image->soname = std::string(file_name(interpreter));
    image->machine = resolution_.machine;
    image->format = resolution_.objects.front().image->format;
    loader.image = std::move(image);
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

// glibc elf/dl-deps.c, _dl_map_object_deps: breadth first; what a DT_FILTER or DT_AUXILIARY names goes before the
// object that names it.
void Process::map_dependencies(std::vector<Listed>& list, ObjectId first_new) {
  for (std::size_t at = 0; at < list.size();) {
    if (list[at].done) {
      ++at;
      continue;
    }
    list[at].done = true;
    const auto id = list[at].object;
    auto self = at;
    if (id < first_new) {
      // What an earlier request has mapped needs the same as then.
      for (const auto& edge : resolution_.objects[id].edges)
        if (edge.object && edge.kind != EdgeKind::dlopen && edge.kind != EdgeKind::preload)
          enlist(list, self, *edge.object, edge.kind != EdgeKind::needed);
      continue;
    }
    const auto image = resolution_.objects[id].image;
    for (const auto& needed : image->elf.needed) {
      const bool filter = needed.tag != NeededTag::needed;
      if (filter && !loader_.follows_filters()) continue;
      const auto kind = needed.tag == NeededTag::needed   ? EdgeKind::needed
                        : needed.tag == NeededTag::filter ? EdgeKind::filter
                                                          : EdgeKind::auxiliary;
      auto edge = resolve({needed.name, kind, id, resolution_.targets.back().kind == TargetKind::dlopen},
                          needed.tag != NeededTag::auxiliary);
      if (edge.object) enlist(list, self, *edge.object, filter);
      resolution_.objects[id].edges.push_back(std::move(edge));
    }
    add_soft_edges(id);
  }
}

void Process::enlist(std::vector<Listed>& list, std::size_t& self, ObjectId object, bool filter) {
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const Listed& listed) { return listed.object == object; });
  if (!filter) {
    if (known == list.end()) list.push_back({object});
    return;
  }
  if (known != list.end()) {
    if (static_cast<std::size_t>(known - list.begin()) <= self) return;
    list.erase(known);
  }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(self), {object});
  ++self;
}

/// What the file itself says it will dlopen: tried as its dlopen would, nothing is mapped.
void Process::add_soft_edges(ObjectId id) {
  const auto image = resolution_.objects[id].image;
  for (const auto& note : image->elf.dlopen_notes) {
    std::optional<Edge> best;
    for (const auto& soname : note.sonames) {
      auto edge = resolve_softly(soname, id);
      const bool found = edge.status == EdgeStatus::not_loaded || edge.status == EdgeStatus::already_loaded;
      if (!best || found) best = std::move(edge);
      if (found) break;
    }
    resolution_.objects[id].edges.push_back(std::move(*best));
  }
}

Edge Process::resolve_softly(const std::string& name, ObjectId caller) {
  const auto objects_before = resolution_.objects.size();
  auto edge = resolve({name, EdgeKind::dlopen, caller, true}, false);
  if (edge.status == EdgeStatus::loaded) {
    edge.status = EdgeStatus::not_loaded;
    edge.object.reset();
    resolution_.objects.resize(objects_before);
  }
  return edge;
}

void Process::note_soft_dlopen(const std::string& name, ObjectId caller, const std::string& asked_at) {
  auto edge = resolve_softly(name, loader_.dlopen_searches_for_caller() ? caller : 0);
  edge.asked_at = asked_at;
  resolution_.objects[caller].edges.push_back(std::move(edge));
}

void Process::note_constants(ConstantScope scope) {
  ProcessRecord::note_constants(images_, scope, [this](const std::string& name, ObjectId caller) {
    return resolve_softly(name, loader_.dlopen_searches_for_caller() ? caller : 0);
  });
}

Edge Process::resolve(Request request, bool hard) {
  Edge edge;
  edge.name = request.name;
  edge.kind = request.kind;
  edge.hard = hard;
  const auto expanded = loader_.expanded_name(request, resolution_);
  if (!expanded) {
    edge.status = EdgeStatus::rejected;
    edge.error = request.name + ": " + expanded.error().message;
    return edge;
  }
  // A dlopen's error repeats the caller's words; a needed name is told expanded.
  if (request.kind == EdgeKind::dlopen) request.spelled = request.name;
  request.name = *expanded;
  if (const auto reuse = loader_.reuse(request, resolution_)) {
    edge.status = EdgeStatus::already_loaded;
    edge.rule = SearchRule::already_loaded;
    edge.object = reuse->object;
    edge.matched = reuse->matched;
    return edge;
  }
  search(request, edge);
  return edge;
}

/// Carries one search through: opens what the loader names and writes down what came of it.
class Process::Searcher final : public SearchVisitor {
 public:
  Searcher(Process& process, const Request& request, Edge& edge) : process_(process), request_(request), edge_(edge) {}

  bool settled() const { return settled_; }

  Next candidate(const Candidate& candidate) override {
    if (!candidate.refusal.empty()) {
      record(
          {candidate.folder + candidate.name, candidate.rule, candidate.of, ProbeResult::refused, candidate.refusal});
      return Next::go_on;
    }
    const auto state = folder_state(candidate.folder + candidate.name);
    if (candidate.rule != SearchRule::path && state != ImageStore::FolderState::folder) {
      // Thousands of folders that do not exist are no evidence that somebody reads.
      constexpr std::size_t most_recorded = 20000;
      if (++process_.absent_folders_ <= most_recorded)
        record({candidate.folder + candidate.name, candidate.rule, candidate.of, ProbeResult::absent,
                state == ImageStore::FolderState::absent ? "no such folder" : "not a folder", false, false,
                state == ImageStore::FolderState::absent ? ENOENT : ENOTDIR});
      return Next::go_on;
    }
    if (candidate.subfolders)
      for (const auto& subfolder : process_.loader_.subfolders()) {
        const auto path = candidate.folder + subfolder + candidate.name;
        // glibc looks at errno once for each folder, when the folder itself has been tried as well.
        if (folder_state(path) == ImageStore::FolderState::folder && probe(candidate, path, false) == Next::stop)
          return Next::stop;
      }
    return probe(candidate, candidate.folder + candidate.name, true);
  }

  void skipped(SkippedRule rule) override {
    rule.before = edge_.search.probes.size();
    edge_.search.skipped.push_back(std::move(rule));
  }

 private:
  void record(Probe probe) { edge_.search.probes.push_back(std::move(probe)); }

  ImageStore::FolderState folder_state(const std::string& path) const {
    return process_.images_.folder_state(std::string(parent_path(process_.absolute(path))));
  }

  Next probe(const Candidate& candidate, const std::string& path, bool last_of_folder) {
    const auto& opened = process_.images_.open(process_.absolute(path));
    const auto judgement = process_.loader_.judge(opened, request_);
    Probe probe{path,           candidate.rule, candidate.of, judgement.result,
                judgement.text, false,          false,        judgement.system_error};
    auto next = Next::go_on;
    switch (judgement.action) {
      case Judgement::Action::take:
        process_.take_candidate(request_, candidate, path, opened, edge_, probe);
        next = Next::stop;
        break;
      case Judgement::Action::next: break;
      case Judgement::Action::end_list:
        probe.ends_list = last_of_folder;
        if (last_of_folder) next = Next::end_list;
        break;
      case Judgement::Action::stop:
        probe.ends_search = true;
        edge_.status = EdgeStatus::rejected;
        edge_.error = process_.loader_.refused(request_, path, judgement.text, process_.resolution_);
        next = Next::stop;
        break;
    }
    settled_ |= next == Next::stop;
    record(std::move(probe));
    return next;
  }

  Process& process_;
  const Request& request_;
  Edge& edge_;
  bool settled_ = false;
};

void Process::search(const Request& request, Edge& edge) {
  Searcher searcher(*this, request, edge);
  loader_.search(request, resolution_, searcher);
  if (searcher.settled() || take_stated_driver(request, edge)) return;
  name_dangling_links(edge);
  const bool refused = std::any_of(edge.search.probes.begin(), edge.search.probes.end(),
                                   [](const Probe& probe) { return probe.result != ProbeResult::absent; });
  edge.status = refused ? EdgeStatus::rejected : EdgeStatus::missing;
  edge.error = loader_.not_found(request, resolution_, edge.search);
}

/// To the loader a symbolic link that leads nowhere is not there; to the user it is.
void Process::name_dangling_links(Edge& edge) {
  for (auto& probe : edge.search.probes) {
    if (probe.result != ProbeResult::absent || !probe.detail.empty()) continue;
    const auto path = absolute(probe.path);
    const auto& names = images_.list(std::string(parent_path(path)));
    if (std::binary_search(names.begin(), names.end(), std::string(file_name(path))))
      probe.detail = "a symbolic link that leads to no file";
  }
}

/// A library of the driver that the user says is there, where the tree has none.
bool Process::take_stated_driver(const Request& request, Edge& edge) {
  if (environment_.driver.empty() || !is_driver_library(request.name)) return false;
  auto image = std::make_shared<Image>();
  image->format = resolution_.objects.front().image->format;
  image->machine = resolution_.machine;
  image->type = FileType::shared;
  image->soname = request.name;
  Object object;
  object.path = object.load_name = "(driver " + environment_.driver + ")/" + request.name;
  object.names = {object.path, request.name};
  object.image = std::move(image);
  object.known_by_name = true;
  if (request.kind != EdgeKind::dlopen || !loader_.dlopen_searches_for_caller()) object.loader = request.requester;
  edge.status = EdgeStatus::loaded;
  edge.rule = SearchRule::default_folder;
  edge.search.probes.push_back(
      {object.path, edge.rule, std::nullopt, ProbeResult::found, "the driver is stated to be there", false, false, 0});
  edge.object = add_object(std::move(object));
  return true;
}

void Process::take_candidate(const Request& request, const Candidate& candidate, const std::string& path,
                             const OpenedFile& opened, Edge& edge, Probe& probe) {
  edge.rule = candidate.rule;
  for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
    auto& object = resolution_.objects[id];
    // What one use has loaded is there for the next.
    const bool there =
        !object.unmapped || (is_later(resolution_.targets.back()) && is_later(resolution_.targets[object.target]));
    if (!there || object.id != opened.status.id) continue;
    edge.status = EdgeStatus::already_loaded;
    edge.object = id;
    edge.matched = MatchedBy::file;
    object.names.push_back(request.name);
    return;
  }
  const auto admission = loader_.admit(opened, request);
  if (admission.action != Judgement::Action::take) {
    probe.result = admission.result;
    probe.detail = admission.text;
    probe.ends_search = true;
    edge.status = EdgeStatus::rejected;
    edge.error = loader_.refused(request, request.shown_name(), admission.text, resolution_);
    return;
  }
  Object object;
  object.path = opened.real_path;
  object.load_name = path;
  object.origin = loader_.origin(path);
  object.names = {path};
  if (request.name != path) object.names.push_back(request.name);
  object.id = opened.status.id;
  object.image = opened.image;
  if (request.kind != EdgeKind::dlopen || !loader_.dlopen_searches_for_caller()) object.loader = request.requester;
  edge.status = EdgeStatus::loaded;
  edge.object = add_object(std::move(object));
}

std::size_t Process::dlopen(const std::string& given, const DlopenRequest& call, ObjectId caller) {
  const auto first_new = resolution_.objects.size();
  const auto number = resolution_.targets.size();
  auto& target = add_request(given, call, caller);
  const auto requester = loader_.dlopen_searches_for_caller() ? caller : 0;
  auto edge = resolve({call.name, EdgeKind::dlopen, requester, true}, false);
  edge.asked_at = call.traits.asked_at;
  edge.known = call.known;
  target.object = edge.object;
  target.error = edge.error;
  std::vector<Listed> list;
  if (edge.object) {
    list.push_back({*edge.object});
    map_dependencies(list, first_new);
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
    for (auto& known : known_dlopens(object.image->soname.value_or(""), object.path, images_.files())) {
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
  return resolve_softly(name, loader_.dlopen_searches_for_caller() ? caller : 0).status == EdgeStatus::already_loaded;
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

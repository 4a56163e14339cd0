#include "process/walk.h"

#include <algorithm>
#include <cerrno>

#include <cudald/image.h>

#include "base/path.h"
#include "binary/known_image.h"

namespace cudald {

void Walk::end(std::string error) {
  resolution_.targets[*whole_].error = std::move(error);
  whole_.reset();
}

void Walk::note_constants(ConstantScope scope) {
  ProcessRecord::note_constants(images_, scope, [this](const std::string& name, ObjectId caller) {
    return resolve_softly(call_of(name, caller));
  });
}

Request Walk::call_of(const std::string& name, ObjectId caller) const {
  return {name, EdgeKind::dlopen, rules().dlopen_searches_for_caller() ? caller : 0, true};
}

Edge Walk::resolve(Request request, bool hard) {
  Edge edge;
  edge.name = request.name;
  edge.kind = request.kind;
  edge.hard = hard;
  const auto expanded = rules().expanded_name(request, resolution_);
  if (!expanded) {
    edge.status = EdgeStatus::rejected;
    edge.error = request.name + ": " + expanded.error().message;
    return edge;
  }
  // A dlopen's error repeats the caller's words; a needed name is told expanded. Windows tells what was asked for.
  if (request.kind == EdgeKind::dlopen || resolution_.windows) request.spelled = request.name;
  request.name = *expanded;
  index_.update(resolution_.objects);
  if (const auto reuse = rules().reuse(request, resolution_, index_.named(request.name))) {
    edge.status = EdgeStatus::already_loaded;
    edge.rule = reuse->rule;
    edge.object = reuse->object;
    edge.matched = reuse->matched;
    return edge;
  }
  search(request, edge);
  return edge;
}

Edge Walk::resolve_softly(Request request) {
  const auto objects_before = resolution_.objects.size();
  auto edge = resolve(std::move(request), false);
  if (edge.status == EdgeStatus::loaded) {
    edge.status = EdgeStatus::not_loaded;
    edge.object.reset();
    resolution_.objects.resize(objects_before);
  }
  return edge;
}

// glibc elf/dl-deps.c, _dl_map_object_deps: breadth first; what a DT_FILTER or DT_AUXILIARY names goes before the
// object that names it. Of Windows, the modules that a load brings in are those that its imports name, and theirs, by
// the rules of the call that started it (Microsoft's LoadLibraryExW, "Remarks"); their order is not promised anywhere.
void Walk::map_needs(std::vector<Listed>& list, ObjectId first_new, const WindowsLoad& load) {
  const auto is_filter = [](EdgeKind kind) { return kind == EdgeKind::filter || kind == EdgeKind::auxiliary; };
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
        if (edge.object && (edge.kind == EdgeKind::needed || edge.kind == EdgeKind::import || is_filter(edge.kind)))
          enlist(list, self, *edge.object, is_filter(edge.kind));
      continue;
    }
    entered(id);
    const bool in_dlopen = resolution_.targets.back().kind == TargetKind::dlopen;
    const auto needs = rules().needs(*resolution_.objects[id].image);
    resolution_.objects[id].edges.reserve(needs.size());
    for (const auto& need : needs) {
      // The helper of delay imports calls LoadLibrary, without flags, when a function is first used.
      auto edge = need.on_use ? resolve_softly({need.name, need.kind, id, in_dlopen})
                              : resolve({need.name, need.kind, id, in_dlopen, "", load}, need.hard);
      if (edge.object && !need.on_use) enlist(list, self, *edge.object, is_filter(need.kind));
      resolution_.objects[id].edges.push_back(std::move(edge));
    }
    mapped(id);
  }
}

void Walk::enlist(std::vector<Listed>& list, std::size_t& self, ObjectId object, bool filter) {
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

Walk::Folder& Walk::folder_of(const Candidate& candidate, const std::string& path) {
  // An entry of ld.so.cache is a path without a folder of its own.
  const bool whole_path = candidate.folder.empty() && candidate.name.find('/') != std::string::npos;
  const auto folder =
      whole_path ? std::string_view(path).substr(0, path.rfind('/') + 1) : std::string_view(candidate.folder);
  const auto known = folders_.find(folder);
  if (known != folders_.end()) return known->second;
  return folders_.emplace(folder_names_.emplace_back(folder), Folder{folder_state(path)}).first->second;
}

const std::vector<const std::string*>& Walk::subfolders_in(const std::string& folder, Folder& known) {
  if (known.subfolders) return *known.subfolders;
  auto& found = known.subfolders.emplace();
  for (const auto& subfolder : rules().subfolders()) {
    // The first of the folders on the way is asked for once, which answers for all below it where it is not there.
    (void)folder_state(folder + subfolder.substr(0, subfolder.find('/') + 1));
    if (folder_state(folder + subfolder) == ImageStore::FolderState::folder) found.push_back(&subfolder);
  }
  return found;
}

/// Carries one search through: opens what the loader names and writes down what came of it.
class Walk::Searcher final : public SearchVisitor {
  using FolderState = ImageStore::FolderState;

 public:
  Searcher(Walk& walk, const Request& request, Edge& edge) : walk_(walk), request_(request), edge_(edge) {}

  bool settled() const { return settled_; }

  /// What comes of a search that the question cannot afford.
  Next give_up() {
    edge_.status = EdgeStatus::rejected;
    edge_.error = request_.name + ": not searched for: " + walk_.images_.budget().error().message;
    settled_ = true;
    return Next::stop;
  }

  Next candidate(const Candidate& candidate) override {
    if (!walk_.images_.budget().step(steps_of_a_folder)) return give_up();
    const auto path = candidate.folder + candidate.name;
    if (!candidate.refusal.empty()) {
      record({path, candidate.rule, candidate.of, ProbeResult::refused, candidate.refusal});
      return Next::go_on;
    }
    if (candidate.rule == SearchRule::path) return probe(candidate, path, true);
    auto& folder = walk_.folder_of(candidate, path);
    if (folder.state != FolderState::folder) {
      // Thousands of folders that do not exist are no evidence that somebody reads.
      constexpr std::size_t most_recorded = 20000;
      const bool absent = folder.state == FolderState::absent;
      if (++walk_.absent_folders_ <= most_recorded)
        record({path, candidate.rule, candidate.of, ProbeResult::absent,
                absent ? "no such directory" : "not a directory", false, false, absent ? ENOENT : ENOTDIR});
      return Next::go_on;
    }
    if (candidate.subfolders)
      for (const auto* subfolder : walk_.subfolders_in(candidate.folder, folder))
        // glibc looks at errno once for each folder, when the folder itself has been tried as well.
        if (probe(candidate, candidate.folder + *subfolder + candidate.name, false) == Next::stop) return Next::stop;
    return probe(candidate, path, true);
  }

  void skipped(SkippedRule rule) override {
    rule.before = edge_.search.probes.size();
    edge_.search.skipped.push_back(std::move(rule));
  }

 private:
  // A search takes a few of these; but tens of thousands of needed names times tens of thousands of folders would take
  // hours.
  static constexpr std::uint64_t steps_of_a_folder = 10000, steps_of_a_file = 20000, steps_of_a_letter = 200;

  void record(Probe probe) { edge_.search.probes.push_back(std::move(probe)); }

  Next probe(const Candidate& candidate, const std::string& path, bool last_of_folder) {
    if (!walk_.images_.budget().step(steps_of_a_file + steps_of_a_letter * path.size())) return give_up();
    const auto place = walk_.place_of(path);
    if (!place) return without_file(candidate, path);
    const auto& opened = walk_.images_.open(*place);
    const auto judgement = walk_.rules().judge(opened, request_);
    Probe probe{path,           candidate.rule, candidate.of, judgement.result,
                judgement.text, false,          false,        judgement.system_error};
    auto next = Next::go_on;
    switch (judgement.action) {
      case Judgement::Action::take:
        walk_.take_file(request_, candidate, path, opened, edge_, probe);
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
        edge_.error = walk_.rules().refused(request_, path, judgement.text, walk_.resolution_);
        next = Next::stop;
        break;
    }
    settled_ |= next == Next::stop;
    record(std::move(probe));
    return next;
  }

  Next without_file(const Candidate& candidate, const std::string& path) {
    const bool known = walk_.rules().known_by_name(path);
    if (known) walk_.take_known(request_, candidate, path, edge_);
    record({path, candidate.rule, candidate.of, known ? ProbeResult::found : ProbeResult::absent, ""});
    settled_ |= known;
    return known ? Next::stop : Next::go_on;
  }

  Walk& walk_;
  const Request& request_;
  Edge& edge_;
  bool settled_ = false;
};

void Walk::search(const Request& request, Edge& edge) {
  Searcher searcher(*this, request, edge);
  if (images_.budget().exhausted()) {
    (void)searcher.give_up();  // not even the folders are put together
    return;
  }
  rules().search(request, resolution_, searcher);
  if (searcher.settled() || settle(request, edge)) return;
  const bool refused = std::any_of(edge.search.probes.begin(), edge.search.probes.end(),
                                   [](const Probe& probe) { return probe.result != ProbeResult::absent; });
  edge.status = refused ? EdgeStatus::rejected : EdgeStatus::missing;
  edge.error = rules().not_found(request, resolution_, edge.search);
}

std::optional<ObjectId> Walk::brought_in_by(const Request& request) const {
  if (request.kind == EdgeKind::dlopen && rules().dlopen_searches_for_caller()) return std::nullopt;
  return request.requester;
}

void Walk::take_file(const Request& request, const Candidate& candidate, const std::string& path,
                     const OpenedFile& opened, Edge& edge, Probe& probe) {
  edge.rule = candidate.rule;
  for (const auto id : index_.of_file(opened.status.id)) {
    auto& object = resolution_.objects[id];
    if (object.known_by_name || !is_there(object)) continue;
    edge.status = EdgeStatus::already_loaded;
    edge.object = id;
    edge.matched = MatchedBy::file;
    for (auto& name : rules().names(request, path, false)) {
      index_.add_name(name, id);
      object.names.push_back(std::move(name));
    }
    return;
  }
  const auto admission = rules().admit(opened, request, resolution_);
  if (admission.action != Judgement::Action::take) {
    probe.result = admission.result;
    probe.detail = admission.text;
    probe.ends_search = true;
    edge.status = EdgeStatus::rejected;
    edge.error = rules().refused(request, request.shown_name(), admission.text, resolution_);
    return;
  }
  Object object;
  object.path = opened.real_path;
  object.load_name = path;
  object.origin = rules().origin(path);
  object.names = rules().names(request, path, true);
  object.id = opened.status.id;
  object.image = opened.image;
  object.known_by_name = is_known_by_name(opened.image->source);
  object.loader = brought_in_by(request);
  edge.status = EdgeStatus::loaded;
  edge.object = add_object(std::move(object));
}

void Walk::take_known(const Request& request, const Candidate& candidate, const std::string& path, Edge& edge) {
  Object object;
  object.path = object.load_name = path;
  object.origin = rules().origin(path);
  object.names = rules().names(request, path, true);
  object.image = image_known_by_name(ImageSource::promise, object.names.front());
  object.loader = request.requester;
  object.known_by_name = true;
  edge.status = EdgeStatus::loaded;
  edge.rule = candidate.rule;
  edge.object = add_object(std::move(object));
}

std::shared_ptr<Image> Walk::image_known_by_name(ImageSource source, const std::string& name) const {
  const auto& program = *resolution_.objects.front().image;
  return known_image(source, resolution_.machine, program.format, program.byte_order, name);
}

}  // namespace cudald

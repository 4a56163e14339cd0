#include <algorithm>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/other_abi.h"
#include "knowledge/gpu_use.h"
#include "loader/loader.h"

namespace cudald {
namespace {

std::string what_it_is(const std::string& path, Store& state) {
  const auto cuda = most_telling(path, state);
  return cuda ? fmt::format("{}, {} {}", path, product_name(cuda->kind), cuda->version) : path;
}

/// Who asks for a library of CUDA and is answered by one that was loaded before, where its own search has another file.
struct Overruled {
  ObjectId winner{};
  std::string own;  ///< path
  std::vector<ObjectId> requesters;
  std::string name;
};

void tell_first_wins(const Case& given) {
  auto& report = given.report;
  const auto& objects = report.resolution.objects;
  std::vector<Overruled> overruled;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (edge.status != EdgeStatus::already_loaded || !edge.object || objects[*edge.object].known_by_name ||
          !is_cuda_library_name(edge.name))
        continue;
      const auto* own = own_choice(given, {edge.name, edge.kind, id, edge.hard});
      if (own == nullptr || own->status.id == objects[*edge.object].id) continue;
      const auto known = std::find_if(overruled.begin(), overruled.end(), [&](const Overruled& one) {
        return one.winner == *edge.object && one.own == own->real_path;
      });
      if (known != overruled.end())
        known->requesters.push_back(id);
      else
        overruled.push_back({*edge.object, own->real_path, {id}, edge.name});
    }
  for (const auto& one : overruled) {
    const auto& winner = objects[one.winner];
    auto finding = make_finding("CUD109");
    finding.object = one.requesters.front();
    finding.subject = one.name;
    finding.message = fmt::format("{} get{} the {} that was loaded first, not the one of {} own search",
                                  listed_names(report, one.requesters), one.requesters.size() == 1 ? "s" : "", one.name,
                                  one.requesters.size() == 1 ? "its" : "their");
    finding.evidence.push_back(
        {fmt::format("loaded first: {}", what_it_is(winner.path, given.store)), winner.path, Basis::proven, ""});
    finding.evidence.push_back(
        {fmt::format("alone it would be: {}", what_it_is(one.own, given.store)), one.own, Basis::proven, ""});
    finding.consequence =
        "A process has one library of each soname: the first one loaded is used for all. What only the other one has "
        "is missing; importing in another order loads the other one.";
    finding.fixes.push_back({"one release for all of them, in one directory", "", ""});
    report.findings.push_back(std::move(finding));
  }
}

/// A search that nothing that is loaded answers.
class OwnSearch final : public SearchVisitor {
 public:
  OwnSearch(const Case& given, const Request& request)
      : loader_(*given.loader),
        images_(given.store.images),
        cwd_(given.report.query.environment.cwd),
        request_(request) {}

  const OpenedFile* choice() const { return choice_; }

  Next candidate(const Candidate& candidate) override {
    if (!candidate.refusal.empty()) return Next::go_on;
    if (candidate.rule == SearchRule::path) return take(absolute_path(candidate.folder + candidate.name, cwd_));
    if (candidate.subfolders)
      for (const auto& subfolder : loader_.subfolders())
        if (take_from(candidate.folder + subfolder, candidate.name) == Next::stop) return Next::stop;
    return take_from(candidate.folder, candidate.name);
  }

  void skipped(SkippedRule) override {}

 private:
  /// Most are folders for other processors that are not there; that is asked once for each folder.
  Next take_from(const std::string& folder, const std::string& name) {
    const auto path = absolute_path(folder + name, cwd_);
    return images_.folder_exists(std::string(parent_path(path))) ? take(path) : Next::go_on;
  }

  Next take(const std::string& path) {
    const auto& opened = images_.open(path);
    const auto action = loader_.judge(opened, request_).action;
    if (action == Judgement::Action::take) choice_ = &opened;
    return action == Judgement::Action::take || action == Judgement::Action::stop ? Next::stop : Next::go_on;
  }

  const Loader& loader_;
  ImageStore& images_;
  const std::string& cwd_;
  const Request& request_;
  const OpenedFile* choice_ = nullptr;
};

}  // namespace

std::string next_in_search(const Case& given, ObjectId requester, const Edge& edge) {
  const auto& report = given.report;
  const auto& loader = *given.loader;
  const Request request{edge.name, edge.kind, requester, edge.kind == EdgeKind::dlopen};
  const auto& winner = report.resolution.objects[*edge.object];
  bool passed = false;
  for (const auto& candidate : loader.candidates(request, report.resolution).candidates) {
    passed |= candidate.rule == SearchRule::ld_library_path;
    if (!passed || candidate.rule == SearchRule::ld_library_path || !candidate.refusal.empty()) continue;
    const auto& opened = given.store.images.open(absolute_path(candidate.path, report.query.environment.cwd));
    if (loader.judge(opened, request).action != Judgement::Action::take) continue;
    return opened.status.id == winner.id ? "" : opened.real_path;
  }
  return "";
}

const OpenedFile* own_choice(const Case& given, const Request& request) {
  const auto [known, is_new] = given.own_choices.try_emplace({request.name, request.kind, request.requester});
  if (is_new) {
    OwnSearch search(given, request);
    given.loader->search(request, given.report.resolution, search);
    known->second = search.choice();
  }
  return known->second;
}

void check_shadowed(const Case& given) {
  auto& report = given.report;
  if (given.loader == nullptr) return;
  tell_first_wins(given);
  for (ObjectId id = 0; id < report.resolution.objects.size(); ++id)
    for (const auto& edge : report.resolution.objects[id].edges) {
      if (edge.status != EdgeStatus::loaded || edge.rule != SearchRule::ld_library_path || !edge.object) continue;
      const auto other = next_in_search(given, id, edge);
      if (other.empty()) continue;
      const auto& winner = report.resolution.objects[*edge.object];
      auto finding = make_finding("CUD109");
      finding.object = id;
      finding.subject = edge.name;
      finding.message = fmt::format("{} comes from LD_LIBRARY_PATH; without it {} would load", edge.name, other);
      finding.consequence = fmt::format("{} is used, here only; the two may be of different releases.", winner.path);
      finding.evidence.push_back({fmt::format("loads: {}", winner.path), winner.path, Basis::proven, ""});
      finding.evidence.push_back({fmt::format("next in the search: {}", other), other, Basis::proven, ""});
      finding.fixes.push_back({"if the other copy is the right one", "unset LD_LIBRARY_PATH",
                               "for all libraries and programs of this shell"});
      report.findings.push_back(std::move(finding));
    }
}

}  // namespace cudald

#include "report/html/load_picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/report.h>

#include "base/path.h"

namespace cudald {
namespace {

/// The folder of a file, or of a member its archive.
std::string origin_of(const Object& object) {
  if (const auto archive = object.path.find("!/"); archive != std::string::npos) return object.path.substr(0, archive);
  const auto end = object.path.find_last_of("/\\");
  return end == std::string::npos ? "" : object.path.substr(0, std::max<std::size_t>(end, 1));
}

std::string name_of(const Object& object) {
  const auto end = object.path.find_last_of("/\\");
  return end == std::string::npos ? object.path : object.path.substr(end + 1);
}

/// Whether a file belongs to the system that it was loaded on, and not to what was asked about.
bool is_of_system(const Object& object) {
  if (object.dynamic_loader || object.known_by_name) return true;
  // Modules of the standard library.
  if (object.path.find("/lib-dynload/") != std::string::npos) return true;
  if (object.package) return object.path.starts_with('(');
  constexpr std::string_view folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::any_of(std::begin(folders), std::end(folders), [&](auto folder) {
    return object.path.starts_with(folder) && object.path.find("-packages/") == std::string::npos;
  });
}

class Picture {
 public:
  explicit Picture(const Report& report) : report_(report) {}

  LoadPicture drawn(std::size_t most_edges, Alike alike) {
    collect();
    if (alike == Alike::together) join_alike();
    // What fails first, and of that what is needed; else as the loader comes to it.
    auto& edges = picture_.edges;
    std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.found, !a.hard) < std::pair(b.found, !b.hard);
    });
    if (edges.size() > most_edges) {
      picture_.left_out = edges.size() - most_edges;
      edges.resize(most_edges);
    }
    keep_what_is_touched();
    return std::move(picture_);
  }

 private:
  using Kind = LoadPicture::Kind;

  void collect() {
    const auto& objects = report_.resolution.objects;
    std::set<ObjectId> targets;
    for (const auto& target : report_.resolution.targets)
      if (target.object && !target.part_of) targets.insert(*target.object);
    for (ObjectId id = 0; id < objects.size(); ++id)
      picture_.nodes.push_back({name_of(objects[id]), origin_of(objects[id]),
                                targets.contains(id) || objects[id].main_program ? Kind::target
                                : is_of_system(objects[id])                      ? Kind::system
                                                                                 : Kind::object});
    for (ObjectId id = 0; id < objects.size(); ++id) {
      std::set<std::string> drawn;
      for (const auto& edge : objects[id].edges)
        if (drawn.insert(edge.name).second) add(id, edge);
    }
  }

  void add(ObjectId id, const Edge& edge) {
    const bool usual = edge.kind == EdgeKind::needed || edge.kind == EdgeKind::import;
    std::string word = usual ? "" : std::string(to_string(edge.kind));
    const auto say = [&word](std::string_view more) { word += (word.empty() ? "" : ", ") + std::string(more); };
    if (edge.object) {
      if (edge.status == EdgeStatus::loaded) say(to_string(edge.rule));
      picture_.edges.push_back({id, *edge.object, word, true, edge.hard});
      return;
    }
    const bool on_use = edge.status == EdgeStatus::not_loaded && !edge.search.probes.empty();
    say(on_use ? "on use" : edge.status == EdgeStatus::rejected ? "refused" : "not found");
    picture_.edges.push_back({id, missing(edge.name, on_use), word, on_use, edge.hard});
  }

  std::size_t missing(const std::string& name, bool on_use) {
    const auto [known, is_new] = missing_.try_emplace({name, on_use}, picture_.nodes.size());
    if (is_new) picture_.nodes.push_back({name, "", on_use ? Kind::object : Kind::missing});
    return known->second;
  }

  /// Who asks for a file, and what it asks for: the other end, and whether that is asked for.
  using Ends = std::set<std::pair<std::size_t, bool>>;

  /// The files that may be one node: of one package or directory, and alike in what is asked, but for libraries of the
  /// system; in the order of the first of each.
  std::vector<std::vector<std::size_t>> alike() const {
    const auto& nodes = picture_.nodes;
    std::vector<Ends> ends(nodes.size());
    std::vector<bool> apart(nodes.size());
    for (const auto& edge : picture_.edges) {
      if (nodes[edge.to].kind != Kind::system) ends[edge.from].insert({edge.to, true});
      ends[edge.to].insert({edge.from, false});
      if (!edge.found) apart[edge.from] = apart[edge.to] = true;
    }
    const auto& objects = report_.resolution.objects;
    std::map<std::tuple<std::string, Kind, Ends>, std::size_t> groups;
    std::vector<std::vector<std::size_t>> result;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (apart[i] || nodes[i].kind == Kind::target) continue;
      const auto& package = objects[i].package;
      const auto [group, is_new] = groups.try_emplace(
          {package ? package->name : nodes[i].where, nodes[i].kind, std::move(ends[i])}, result.size());
      if (is_new) result.emplace_back();
      result[group->second].push_back(i);
    }
    return result;
  }

  /// The first of files that are alike becomes the node of all.
  void join_alike() {
    constexpr std::size_t fewest = 4;
    std::map<std::size_t, std::size_t> joined;
    for (const auto& group : alike()) {
      if (group.size() < fewest) continue;
      auto& node = picture_.nodes[group.front()];
      std::vector<std::string> files;
      for (const auto i : group) {
        files.push_back(picture_.nodes[i].name);
        joined[i] = group.front();
      }
      const auto& package = report_.resolution.objects[group.front()].package;
      node.name = fmt::format("{} files{}", group.size(), package ? " of " + package->name : "");
      node.files = std::move(files);
    }
    const auto one = [&](std::size_t i) { return joined.contains(i) ? joined.at(i) : i; };
    std::set<std::pair<std::size_t, std::size_t>> drawn;
    std::vector<LoadPicture::Edge> kept;
    for (auto& edge : picture_.edges) {
      const bool several = joined.contains(edge.from) || joined.contains(edge.to);
      edge.from = one(edge.from), edge.to = one(edge.to);
      if (!several || drawn.emplace(edge.from, edge.to).second) kept.push_back(std::move(edge));
    }
    picture_.edges = std::move(kept);
  }

  void keep_what_is_touched() {
    constexpr std::size_t gone = static_cast<std::size_t>(-1);
    std::vector<bool> touched(picture_.nodes.size());
    for (const auto& edge : picture_.edges) touched[edge.from] = touched[edge.to] = true;
    std::vector<std::size_t> place(touched.size(), gone);
    std::vector<LoadPicture::Node> kept;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      if (!touched[i] && picture_.nodes[i].kind != Kind::target) continue;
      place[i] = kept.size();
      kept.push_back(std::move(picture_.nodes[i]));
    }
    picture_.nodes = std::move(kept);
    for (auto& edge : picture_.edges) edge.from = place[edge.from], edge.to = place[edge.to];
  }

  const Report& report_;
  LoadPicture picture_;
  std::map<std::pair<std::string, bool>, std::size_t> missing_;
};

}  // namespace

LoadPicture picture_of(const Report& report, std::size_t most_edges, Alike alike) {
  return Picture(report).drawn(most_edges, alike);
}

}  // namespace cudald

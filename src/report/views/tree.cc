#include <vector>

#include <fmt/format.h>

#include <cudald/load_graph.h>
#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "report/json/json_text.h"
#include "report/text/requests.h"
#include "report/text/search_table.h"
#include "report/text/text.h"

namespace cudald {
namespace {

struct Marks {
  std::string_view tee, corner, bar, blank;
};

constexpr Marks unicode_marks{"├── ", "└── ", "│   ", "    "};
constexpr Marks ascii_marks{"|-- ", "`-- ", "|   ", "    "};

/// What both trees share: indentation, and each object told only once.
class TreeText {
 public:
  TreeText(const Resolution& resolution, TextWriter& text)
      : resolution_(resolution),
        text_(text),
        marks_(text.style().ascii ? ascii_marks : unicode_marks),
        told_(resolution.objects.size()) {}

 protected:
  const Object& object(ObjectId id) const { return resolution_.objects[id]; }
  const Edge& edge(const Hop& hop) const { return object(hop.from).edges[hop.edge]; }

  /// Runs `tell` one level deeper, below a branch that is the last of its siblings or not.
  template <typename Function>
  void below(bool last, Function tell) {
    const std::string_view added = last ? marks_.blank : marks_.bar;
    indent_ += added;
    ++depth_;
    tell();
    --depth_;
    indent_.resize(indent_.size() - added.size());
  }

  void branch(bool last, const std::string& line) {
    text_.line(indent_ + std::string(last ? marks_.corner : marks_.tee) + line);
  }

  /// True the first time only.
  bool first_time(ObjectId id) {
    const bool first = !told_[id];
    told_[id] = true;
    return first;
  }

  /// Whether the children of what is being told lie below the depth asked for.
  bool children_too_deep() const { return depth_ + 1 >= text_.style().depth; }

  const Resolution& resolution_;
  TextWriter& text_;
  bool repeated_ = false;  ///< a (*) was written, so it has to be explained
  bool cut_ = false;       ///< the depth was reached

  void write_legend(std::string_view meaning_of_star) {
    if (repeated_) text_.line(text_.painted(Tone::faint, fmt::format("(*) {}", meaning_of_star)));
    if (cut_) text_.line(text_.painted(Tone::faint, "(+) needs more, below the depth limit"));
  }

 private:
  Marks marks_;
  std::vector<bool> told_;
  std::string indent_;
  std::size_t depth_ = 0;
};

/// The tree in which each object hangs where it was loaded.
class LoadTree : public TreeText {
 public:
  using TreeText::TreeText;

  void tell() {
    find_places();
    for (const Target& target : resolution_.targets) {
      const std::string given = escaped(target.given);
      const bool compound = target.kind == TargetKind::import || target.kind == TargetKind::package;
      if (compound || (target.part_of && !target.object)) {
        if (!target.error.empty() && !target.part_of)
          text_.line(fmt::format("{}  {}", given, text_.painted(Tone::bad, escaped(target.error))));
      } else if (!target.object) {
        text_.line(fmt::format("{}  {}", given, text_.painted(Tone::bad, escaped(target.error))));
      } else if (!place_of_[*target.object] && first_time(*target.object)) {
        text_.line(text_.painted(Tone::strong, escaped(object(*target.object).path)));
        tell_requests(*target.object);
      }
    }
    write_legend("already loaded, see above");
  }

 private:
  // An object hangs at the request that loaded it; without one, and not asked for by the user, at
  // the first that got it.
  void find_places() {
    place_of_.resize(resolution_.objects.size());
    std::vector<bool> is_target(resolution_.objects.size());
    for (const Target& target : resolution_.targets)
      if (target.object) is_target[*target.object] = true;
    for (const bool loading_only : {true, false})
      for (ObjectId id = 0; id < resolution_.objects.size(); ++id)
        for (std::size_t i = 0; i < object(id).edges.size(); ++i) {
          const Edge& edge = object(id).edges[i];
          if (!edge.object || place_of_[*edge.object]) continue;
          if (loading_only ? edge.status != EdgeStatus::loaded : is_target[*edge.object]) continue;
          place_of_[*edge.object] = Hop{id, *edge.object, i};
        }
  }

  void tell_requests(ObjectId id) {
    const auto& edges = object(id).edges;
    const auto& constants = object(id).may_open;
    for (std::size_t i = 0; i < edges.size(); ++i)
      tell_request(Hop{id, edges[i].object.value_or(id), i}, constants.empty() && i + 1 == edges.size());
    for (const Edge& likely : constants) tell_constant(likely, &likely == &constants.back());
  }

  void tell_constant(const Edge& likely, bool last) {
    const bool on_use = likely.status == EdgeStatus::not_loaded && !likely.search.probes.empty();
    const std::string answer = likely.object ? escaped(object(*likely.object).path)
                               : on_use      ? escaped(likely.search.probes.back().path)
                                             : "not found";
    branch(last, text_.painted(Tone::faint, fmt::format("{} (may open it)  {}", escaped(likely.name), answer)));
  }

  void tell_request(const Hop& hop, bool last) {
    const Edge& request = edge(hop);
    std::string line = escaped(request.name);
    if (request.kind != EdgeKind::needed && request.kind != EdgeKind::import)
      line += fmt::format(" ({})", to_string(request.kind));
    if (!request.asked_at.empty()) line += " at " + escaped(request.asked_at);
    if (!request.object && request.status == EdgeStatus::not_loaded) {
      const auto path = request.search.probes.empty() ? "" : "  " + escaped(request.search.probes.back().path);
      branch(last, text_.painted(Tone::faint, line + path + "  loaded only on use"));
      return;
    }
    if (!request.object) {
      const Tone tone = request.hard ? Tone::bad : Tone::caution;
      const std::string why = request.status == EdgeStatus::missing ? "not found" : escaped(request.error);
      branch(last, text_.painted(tone, fmt::format("{}  {}", line, why)));
      return;
    }
    if (place_of_[hop.to] != hop) {
      repeated_ = true;
      branch(last, text_.painted(Tone::faint, line + " (*)"));
      return;
    }
    const bool cut = children_too_deep() && !(object(hop.to).edges.empty() && object(hop.to).may_open.empty());
    cut_ |= cut;
    branch(last, fmt::format("{} {}  {}{}", line, text_.painted(Tone::label, bracketed(request.rule)),
                             escaped(object(hop.to).path), cut ? " (+)" : ""));
    if (first_time(hop.to) && !cut) below(last, [&] { tell_requests(hop.to); });
  }

  std::vector<std::optional<Hop>> place_of_;
};

/// The tree upwards: who asks for an object, who asks for those, up to the targets.
class InvertedTree : public TreeText {
 public:
  InvertedTree(const Resolution& resolution, TextWriter& text) : TreeText(resolution, text), graph_(resolution) {}

  /// False if nothing of that name is loaded or asked for.
  bool tell(const std::string& library) {
    const auto found = find_object(resolution_, library);
    const std::vector<RequestPlace> requests = requests_for(resolution_, library);
    if (!found && requests.empty()) return false;
    if (found) {
      text_.line(text_.painted(Tone::strong, escaped(object(*found).path)));
      first_time(*found);
      tell_requesters(*found);
    } else {
      text_.line(escaped(library) + "  " + text_.painted(Tone::bad, "not found"));
      for (std::size_t i = 0; i < requests.size(); ++i)
        tell_requester({requests[i].requester, 0, requests[i].edge}, i + 1 == requests.size());
    }
    write_legend("who needs it is shown above");
    return true;
  }

 private:
  void tell_requesters(ObjectId id) {
    const std::vector<Hop> hops = graph_.requests_for(id);
    for (std::size_t i = 0; i < hops.size(); ++i) tell_requester(hops[i], i + 1 == hops.size());
  }

  void tell_requester(const Hop& hop, bool last) {
    const Edge& request = edge(hop);
    std::string line = fmt::format("{}  {}", escaped(object(hop.from).path),
                                   text_.painted(Tone::faint, "as " + escaped(request.name)));
    const bool first = first_time(hop.from);
    const bool more = !graph_.requests_for(hop.from).empty();
    if (!first && more) {
      repeated_ = true;
      line += " (*)";
    }
    const bool cut = first && more && children_too_deep();
    cut_ |= cut;
    branch(last, line + (cut ? " (+)" : ""));
    if (first && !cut) below(last, [&] { tell_requesters(hop.from); });
  }

  LoadGraph graph_;
};

}  // namespace

bool write_tree(const Report& report, const TextStyle& style, const std::string& invert, std::ostream& out) {
  TextWriter text(style, out);
  if (!invert.empty()) return InvertedTree(report.resolution, text).tell(invert);
  LoadTree(report.resolution, text).tell();
  return true;
}

bool write_requesters_json(const Report& report, const std::string& library, bool compact, std::ostream& out) {
  const auto& resolution = report.resolution;
  const auto found = find_object(resolution, library);
  const auto requests = requests_for(resolution, library);
  if (!found && requests.empty()) return false;

  const LoadGraph graph(resolution);
  const auto asking = [&](ObjectId from, std::size_t edge) {
    const auto& request = resolution.objects[from].edges[edge];
    return JsonObject(3)
        .add("object", from)
        .add("name", json_text(request.name))
        .add("kind", to_string(request.kind))
        .take();
  };
  Json::array_t asked_by, objects;
  std::vector<ObjectId> waiting;
  std::vector<bool> seen(resolution.objects.size());
  const auto visit = [&](ObjectId id) {
    if (!seen[id]) waiting.push_back(id);
    seen[id] = true;
  };
  for (const auto& place : requests) asked_by.push_back(asking(place.requester, place.edge)), visit(place.requester);
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    Json::array_t by;
    for (const Hop& hop : graph.requests_for(waiting[next])) by.push_back(asking(hop.from, hop.edge)), visit(hop.from);
    objects.push_back(JsonObject(3)
                          .add("id", waiting[next])
                          .add("path", json_text(resolution.objects[waiting[next]].path))
                          .add("asked_by", std::move(by))
                          .take());
  }
  write_document(JsonObject(6)
                     .add("schema", "cudald/requesters")
                     .add("schema_version", "1.0")
                     .add("library", json_text(library))
                     .add("path", found ? json_text(resolution.objects[*found].path) : Json(nullptr))
                     .add("asked_by", std::move(asked_by))
                     .add("objects", std::move(objects))
                     .take(),
                 compact, out);
  return true;
}

}  // namespace cudald

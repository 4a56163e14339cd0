#include <fmt/format.h>

#include <cudald/load_graph.h>
#include <cudald/report.h>
#include <cudald/writers.h>

#include "report/json/json_text.h"
#include "report/text/requests.h"
#include "report/text/search_table.h"
#include "report/text/text.h"

namespace cudald {
namespace {

class ChainText {
 public:
  ChainText(const Resolution& resolution, TextWriter& text) : resolution_(resolution), text_(text) {}

  /// A chain from a target downwards; `missing` is a last request without an answer.
  void tell(ObjectId target, const Chain& chain, const Edge* missing) {
    std::size_t depth = 0;
    if (const Edge* opened = python_request_for(target)) {
      // What Python opens has no requester but a line of code.
      text_.line(text_.painted(Tone::strong, escaped(import_of(target))));
      branch(depth++, fmt::format("{}  {}", name_of(*opened), escaped(resolution_.objects[target].path)));
    } else {
      text_.line(text_.painted(Tone::strong, escaped(resolution_.objects[target].path)));
    }
    for (const Hop& hop : chain) {
      const Edge& edge = resolution_.objects[hop.from].edges[hop.edge];
      const std::string rule = edge.status == EdgeStatus::already_loaded ? "[already loaded]" : bracketed(edge.rule);
      branch(depth++, fmt::format("{} {}  {}", name_of(edge), text_.painted(Tone::label, rule),
                                  escaped(resolution_.objects[hop.to].path)));
    }
    if (missing == nullptr) return;
    const bool on_use = missing->status == EdgeStatus::not_loaded && !missing->search.probes.empty();
    const std::string why = missing->status == EdgeStatus::missing ? "not found"
                            : on_use ? escaped(missing->search.probes.back().path) + "  loaded only on use"
                                     : escaped(missing->error);
    branch(depth, fmt::format("{}  {}", name_of(*missing),
                              on_use ? why : text_.painted(missing->hard ? Tone::bad : Tone::caution, why)));
  }

 private:
  /// The request of Python code that loaded an object; nullptr if none did.
  const Edge* python_request_for(ObjectId id) const {
    for (const Object& object : resolution_.objects)
      for (const Edge& edge : object.edges)
        if (edge.object == id && edge.status == EdgeStatus::loaded && !edge.asked_at.empty()) return &edge;
    return nullptr;
  }

  /// "import torch" of an object that an import loaded; else its target as it was given.
  std::string import_of(ObjectId id) const {
    const Target* target = &resolution_.targets[resolution_.objects[id].target];
    if (target->part_of) target = &resolution_.targets[*target->part_of];
    if (target->kind != TargetKind::import) return target->given;
    return "import " + (target->given.starts_with("py:") ? target->given.substr(3) : target->given);
  }

  static std::string name_of(const Edge& edge) {
    std::string name = escaped(edge.name);
    if (!edge.asked_at.empty()) {
      const auto packages = edge.asked_at.rfind("-packages/");
      name = escaped(packages == std::string::npos ? edge.asked_at : edge.asked_at.substr(packages + 10)) + ": " + name;
    }
    if (!edge.known.function.empty()) return fmt::format("{} (may open it: {})", name, constant_words(edge));
    if (edge.kind != EdgeKind::needed && edge.kind != EdgeKind::import)
      name += fmt::format(" ({})", to_string(edge.kind));
    return name;
  }

  void branch(std::size_t depth, const std::string& line) {
    text_.line(std::string(4 * depth, ' ') + (text_.style().ascii ? "`-- " : "└── ") + line);
  }

  const Resolution& resolution_;
  TextWriter& text_;
};

/// A way to the library: a chain of answered requests and, if it is missing, the request without an
/// answer.
struct Way {
  ObjectId target{};
  Chain chain;
  const Edge* missing{};
};

constexpr std::size_t most_chains = 1000;

class WaySearch {
 public:
  WaySearch(const Resolution& resolution, bool all) : graph_(resolution), all_(all) {}

  void to(ObjectId goal, const Edge* missing) {
    if (!all_) {
      if (auto chain = graph_.shortest_chain(goal)) add(goal, std::move(*chain), missing);
      return;
    }
    Chains found = graph_.all_chains(goal, most_chains - ways_.size());
    complete_ &= found.complete;
    for (Chain& chain : found.chains) add(goal, std::move(chain), missing);
  }

  const std::vector<Way>& ways() const { return ways_; }
  bool complete() const { return complete_; }

 private:
  void add(ObjectId goal, Chain chain, const Edge* missing) {
    const ObjectId target = chain.empty() ? goal : chain.front().from;
    if (!all_ && !ways_.empty()) {
      if (ways_.front().chain.size() <= chain.size()) return;
      ways_.clear();
    }
    ways_.push_back({target, std::move(chain), missing});
  }

  LoadGraph graph_;
  bool all_;
  bool complete_ = true;
  std::vector<Way> ways_;
};

}  // namespace

namespace {

WaySearch ways_to(const Resolution& resolution, const std::string& library, bool all) {
  WaySearch search(resolution, all);
  if (const auto object = find_object(resolution, library)) {
    search.to(*object, nullptr);
    return search;
  }
  for (const RequestPlace& place : requests_for(resolution, library))
    search.to(place.requester, &resolution.objects[place.requester].edges[place.edge]);
  if (search.ways().empty())
    for (const RequestPlace& place : constants_for(resolution, library))
      search.to(place.requester, &resolution.objects[place.requester].may_open[place.edge]);
  return search;
}

Json hop_json(const Edge& edge, const Object* answer) {
  return JsonObject(6)
      .add("name", json_text(edge.name))
      .add("kind", to_string(edge.kind))
      .add("hard", edge.hard)
      .add("status", to_string(edge.status))
      .add("rule", answer != nullptr ? Json(to_string(edge.rule)) : Json(nullptr))
      .add("path", answer != nullptr ? json_text(answer->path) : Json(nullptr))
      .take();
}

Json way_json(const Resolution& resolution, const Way& way) {
  Json::array_t hops;
  for (const Hop& hop : way.chain)
    hops.push_back(hop_json(resolution.objects[hop.from].edges[hop.edge], &resolution.objects[hop.to]));
  if (way.missing != nullptr) hops.push_back(hop_json(*way.missing, nullptr));
  return JsonObject(2).add("from", json_text(resolution.objects[way.target].path)).add("hops", std::move(hops)).take();
}

}  // namespace

bool write_why(const Report& report, const TextStyle& style, const std::string& library, bool all, std::ostream& out) {
  const Resolution& resolution = report.resolution;
  TextWriter text(style, out);
  const auto search = ways_to(resolution, library, all);
  ChainText chains(resolution, text);
  bool first = true;
  for (const Way& way : search.ways()) {
    if (!first) text.line();
    first = false;
    chains.tell(way.target, way.chain, way.missing);
  }
  if (!search.complete())
    text.line(text.painted(Tone::faint,
                           fmt::format("... and more: only the first {} chains are shown", search.ways().size())));
  return !search.ways().empty();
}

bool write_why_json(const Report& report, const std::string& library, bool all, bool compact, std::ostream& out) {
  const auto search = ways_to(report.resolution, library, all);
  const auto one = [&report](const Way& way) { return way_json(report.resolution, way); };
  write_document(JsonObject(5)
                     .add("schema", "cudald/why")
                     .add("schema_version", "1.0")
                     .add("library", json_text(library))
                     .add("complete", search.complete())
                     .add("chains", json_array(search.ways(), one))
                     .take(),
                 compact, out);
  return !search.ways().empty();
}

}  // namespace cudald

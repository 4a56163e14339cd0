#include <fmt/format.h>

#include <cudald/load_graph.h>
#include <cudald/report.h>
#include <cudald/writers.h>

#include "report/requests.h"
#include "report/search_table.h"
#include "report/text.h"

namespace cudald {
namespace {

class ChainText {
 public:
  ChainText(const Resolution& resolution, TextWriter& text) : resolution_(resolution), text_(text) {}

  /// A chain from a target downwards; `missing` is a last request without an answer.
  void tell(ObjectId target, const Chain& chain, const Edge* missing) {
    text_.line(text_.painted(Tone::strong, escaped(resolution_.objects[target].path)));
    std::size_t depth = 0;
    for (const Hop& hop : chain) {
      const Edge& edge = resolution_.objects[hop.from].edges[hop.edge];
      const std::string rule = edge.status == EdgeStatus::already_loaded ? "[loaded already]" : bracketed(edge.rule);
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
  static std::string name_of(const Edge& edge) {
    std::string name = escaped(edge.name);
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
  ObjectId target = 0;
  Chain chain;
  const Edge* missing = nullptr;
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

bool write_why(const Report& report, const TextStyle& style, const std::string& library, bool all, std::ostream& out) {
  const Resolution& resolution = report.resolution;
  TextWriter text(style, out);
  WaySearch search(resolution, all);
  if (const auto object = find_object(resolution, library)) {
    search.to(*object, nullptr);
  } else {
    for (const RequestPlace& place : requests_for(resolution, library))
      search.to(place.requester, &resolution.objects[place.requester].edges[place.edge]);
    if (search.ways().empty())
      for (const RequestPlace& place : constants_for(resolution, library))
        search.to(place.requester, &resolution.objects[place.requester].may_open[place.edge]);
  }

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

}  // namespace cudald

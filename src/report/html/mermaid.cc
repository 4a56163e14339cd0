#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "report/ci/markup.h"
#include "report/html/load_picture.h"
#include "report/text/place.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

/// Mermaid draws no more unless whoever shows the page allows it (maxEdges), and no longer text (maxTextSize).
constexpr std::size_t most_mermaid_edges = 490, most_mermaid_text = 49000;

std::string_view class_of(LoadPicture::Kind kind) {
  switch (kind) {
    case LoadPicture::Kind::target: return "target";
    case LoadPicture::Kind::object: return "found";
    case LoadPicture::Kind::system: return "system";
    case LoadPicture::Kind::missing: break;
  }
  return "missing";
}

class MermaidWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    const auto picture = picture_of(report, most_mermaid_edges - edges_);
    std::string text = fmt::format("  subgraph r{}[\"{}: {}\"]\n", answers_, mermaid_text(name_of_question(report)),
                                   spoken(report.verdict));
    std::vector<bool> told(picture.nodes.size());
    const auto tell = [&](std::size_t i) {
      if (told[i]) return std::string();
      told[i] = true;
      return fmt::format("    r{}n{}[\"{}\"]:::{}\n", answers_, i, mermaid_text(picture.nodes[i].name),
                         class_of(picture.nodes[i].kind));
    };
    for (std::size_t i = 0; i < picture.nodes.size(); ++i)
      if (picture.nodes[i].kind == LoadPicture::Kind::target) text += tell(i);
    constexpr std::size_t room_for_rest = 100;  // the line that says how many are left out, and the end
    std::size_t drawn = 0;
    for (; drawn < picture.edges.size(); ++drawn) {
      const auto& edge = picture.edges[drawn];
      auto line = tell(edge.from) + tell(edge.to);
      const auto arrow = edge.hard ? "-->" : "-.->";
      line += edge.word.empty() ? fmt::format("    r{0}n{1} {3} r{0}n{2}\n", answers_, edge.from, edge.to, arrow)
                                : fmt::format("    r{0}n{1} {3}|\"{4}\"| r{0}n{2}\n", answers_, edge.from, edge.to,
                                              arrow, mermaid_text(edge.word));
      if (text_.size() + text.size() + line.size() + room_for_rest > most_mermaid_text) break;
      text += line;
    }
    edges_ += drawn;
    const auto left_out = picture.left_out + picture.edges.size() - drawn;
    if (left_out != 0) text += fmt::format("    r{}more[\"{} more requests are left out\"]\n", answers_, left_out);
    ++answers_;
    if (text_.size() + text.size() <= most_mermaid_text) text_ += text + "  end\n";
  }

  void finish(std::ostream& out) override {
    out << "flowchart LR\n"
        << text_
        << "  classDef target fill:#dbe9ff,stroke:#335,stroke-width:2px,color:#000\n"
           "  classDef found fill:#f4f4f4,stroke:#666,color:#000\n"
           "  classDef system fill:#fff,stroke:#999,color:#555\n"
           "  classDef missing fill:#ffe3e3,stroke:#c00000,stroke-dasharray:4,color:#900\n";
  }

 private:
  std::string text_;
  std::size_t answers_ = 0, edges_ = 0;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_mermaid_writer() { return std::make_unique<MermaidWriter>(); }

}  // namespace cudald

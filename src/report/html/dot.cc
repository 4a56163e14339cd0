#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "report/ci/markup.h"
#include "report/html/load_picture.h"
#include "report/text/place.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

constexpr std::size_t most_edges = 20000;

std::string_view look_of(LoadPicture::Kind kind) {
  switch (kind) {
    case LoadPicture::Kind::target: return "style=\"filled,bold\", fillcolor=\"#dbe9ff\"";
    case LoadPicture::Kind::object: return "style=filled, fillcolor=\"#f4f4f4\"";
    case LoadPicture::Kind::system: return "style=filled, fillcolor=white, color=\"#999999\", fontcolor=\"#555555\"";
    case LoadPicture::Kind::missing: break;
  }
  return "style=\"filled,dashed\", fillcolor=\"#ffe3e3\", color=\"#c00000\"";
}

class DotWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    const auto picture = picture_of(report, most_edges, Alike::apart);
    text_ += fmt::format("  subgraph cluster_{0} {{\n    label=\"{1}: {2}\";\n", answers_,
                         dot_text(name_of_question(report)), spoken(report.verdict));
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
      const auto& node = picture.nodes[i];
      const auto where = node.where.empty() ? "" : "\\n" + dot_text(node.where);
      text_ += fmt::format("    r{}n{} [label=\"{}{}\", {}];\n", answers_, i, dot_text(node.name), where,
                           look_of(node.kind));
    }
    for (const auto& edge : picture.edges)
      text_ +=
          fmt::format("    r{0}n{1} -> r{0}n{2} [label=\"{3}\"{4}{5}];\n", answers_, edge.from, edge.to,
                      dot_text(edge.word), edge.found ? "" : ", color=\"#c00000\", fontcolor=\"#c00000\", penwidth=2",
                      edge.hard ? "" : ", style=dashed");
    if (picture.left_out != 0) text_ += fmt::format("    // {} more requests are left out\n", picture.left_out);
    text_ += "  }\n";
    ++answers_;
  }

  void finish(std::ostream& out) override {
    out << "digraph cudald {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
        << "  edge [fontname=\"sans-serif\", fontsize=8];\n"
        << text_ << "}\n";
  }

 private:
  std::string text_;
  std::size_t answers_ = 0;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_dot_writer() { return std::make_unique<DotWriter>(); }

}  // namespace cudald

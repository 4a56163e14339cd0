#include "report/html/html_graph.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/ci/markup.h"
#include "report/html/load_picture.h"

namespace cudald {
namespace {

// In pixels. A name of more characters is cut; the whole stands in the title.
constexpr std::size_t node_width = 230, node_height = 30, gap = 8, column_gap = 110, margin = 12, most_name = 32;

class Graph {
 public:
  explicit Graph(const LoadPicture& picture)
      : picture_(picture),
        layer_(picture.nodes.size(), none),
        parent_(picture.nodes.size(), none),
        fails_(picture.nodes.size()) {}

  std::string text() {
    find_layers();
    find_ways();
    place();
    std::string lines, nodes;
    // What is drawn last lies above: what fails comes first in the picture.
    for (auto edge = picture_.edges.rbegin(); edge != picture_.edges.rend(); ++edge) lines += line(*edge);
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i) nodes += node(i);
    const auto width = columns_.size() * (node_width + column_gap) + 2 * margin;
    return fmt::format(
        "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" "
        "role=\"img\" aria-label=\"who loads what\">\n{2}{3}</svg>\n",
        width, height_, lines, nodes);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Each node stands behind the nearest of those who ask for it.
  void find_layers() {
    std::vector<std::vector<std::size_t>> next(picture_.nodes.size());
    std::vector<bool> asked_for(picture_.nodes.size());
    for (const auto& edge : picture_.edges) {
      next[edge.from].push_back(edge.to);
      if (edge.from != edge.to) asked_for[edge.to] = true;
    }
    std::deque<std::size_t> waiting;
    const auto start = [&](std::size_t i) {
      layer_[i] = 0;
      waiting.push_back(i);
      while (!waiting.empty()) {
        const auto at = waiting.front();
        waiting.pop_front();
        for (const auto to : next[at])
          if (layer_[to] == none) layer_[to] = layer_[at] + 1, parent_[to] = at, waiting.push_back(to);
      }
    };
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i)
      if (picture_.nodes[i].kind == LoadPicture::Kind::target || !asked_for[i]) layer_[i] = 0, waiting.push_back(i);
    if (!waiting.empty()) start(waiting.front());
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i)
      if (layer_[i] == none) start(i);
  }

  /// The shortest way from who is started to what is missing.
  void find_ways() {
    for (std::size_t i = 0; i < picture_.nodes.size(); ++i)
      if (picture_.nodes[i].kind == LoadPicture::Kind::missing)
        for (auto at = i; at != none && !fails_[at]; at = parent_[at]) fails_[at] = true;
  }

  void place() {
    y_.resize(picture_.nodes.size());
    std::vector<std::size_t> rank(picture_.nodes.size());
    for (std::size_t i = 0; i < layer_.size(); ++i) {
      if (layer_[i] >= columns_.size()) columns_.resize(layer_[i] + 1);
      columns_[layer_[i]].push_back(i);
    }
    for (auto& column : columns_) {
      // What fails first, what belongs to the system last, else beside those who ask.
      const auto key = [&](std::size_t i) {
        const auto kind = picture_.nodes[i].kind;
        const int group = fails_[i] ? 0 : kind == LoadPicture::Kind::system ? 2 : 1;
        return std::pair(group, rank[i]);
      };
      std::stable_sort(column.begin(), column.end(), [&](auto a, auto b) { return key(a) < key(b); });
      std::size_t at = margin;
      for (std::size_t n = 0; n < column.size(); ++n, at += node_height + gap) {
        y_[column[n]] = at;
        for (const auto& edge : picture_.edges)
          if (edge.from == column[n] && rank[edge.to] == 0) rank[edge.to] = n + 1;
      }
      height_ = std::max(height_, at + margin);
    }
  }

  std::size_t x_of(std::size_t i) const { return margin + layer_[i] * (node_width + column_gap); }

  std::string line(const LoadPicture::Edge& edge) const {
    const auto x1 = x_of(edge.from) + node_width, y1 = y_[edge.from] + node_height / 2;
    const auto x2 = x_of(edge.to), y2 = y_[edge.to] + node_height / 2;
    const auto bend = std::max<std::size_t>(x2 > x1 ? (x2 - x1) / 2 : 60, 40);
    // Of the system's own files each would be joined with all others.
    const bool of_system = picture_.nodes[edge.to].kind == LoadPicture::Kind::system;
    return fmt::format("<path class=\"{}{}{}\" data-from=\"{}\" data-to=\"{}\" d=\"M{} {}C{} {} {} {} {} {}\"/>\n",
                       edge.hard ? "hard" : "soft",
                       edge.found ? fails_[edge.to] && parent_[edge.to] == edge.from ? " way" : "" : " lost",
                       of_system ? " system" : "", edge.from, edge.to, x1, y1, x1 + bend, y1, x2 > bend ? x2 - bend : 0,
                       y2, x2, y2);
  }

  static std::string cut(const std::string& name) {
    std::string result;
    std::size_t count = 0;
    for (std::string_view rest = name; !rest.empty(); ++count) {
      if (count == most_name) return result + "…";
      const auto length = std::max<std::size_t>(first_character(rest).length, 1);
      result += rest.substr(0, length);
      rest.remove_prefix(length);
    }
    return result;
  }

  std::string node(std::size_t i) const {
    const auto& node = picture_.nodes[i];
    const auto* kind = node.kind == LoadPicture::Kind::target    ? "target"
                       : node.kind == LoadPicture::Kind::system  ? "system"
                       : node.kind == LoadPicture::Kind::missing ? "missing"
                                                                 : "found";
    const auto x = x_of(i), y = y_[i];
    const auto where = node.kind == LoadPicture::Kind::missing ? std::string("not found") : node.where;
    auto title = xml_text(node.name) + "\n" + xml_text(node.where);
    for (const auto& file : node.files) title += "\n" + xml_text(file);
    return fmt::format(
        "<g class=\"node {}\" data-id=\"{}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text><text class=\"where\" x=\"{}\" y=\"{}\">{}</text></g>\n",
        kind, i, title, x, y, node_width, node_height, x + 6, y + 13, xml_text(cut(node.name)), x + 6, y + 25,
        xml_text(cut(where)));
  }

  const LoadPicture& picture_;
  std::vector<std::size_t> layer_, parent_, y_;
  std::vector<bool> fails_;
  std::vector<std::vector<std::size_t>> columns_;
  std::size_t height_ = 0;
};

}  // namespace

std::string html_graph(const LoadPicture& picture) { return Graph(picture).text(); }

}  // namespace cudald

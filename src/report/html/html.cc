#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "report/ci/markup.h"
#include "report/html/html_graph.h"
#include "report/html/load_picture.h"
#include "report/html/page.h"
#include "report/text/place.h"
#include "report/text/search_table.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {
namespace {

constexpr std::size_t most_page_edges = 3000;

std::string item(std::string_view label, const std::string& html) {
  return html.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, html);
}

std::string search_html(const Report& report, const Finding& finding) {
  if (!finding.object || !finding.edge) return "";
  const auto& edge = report.resolution.objects[*finding.object].edges[*finding.edge];
  std::string rows;
  for (const auto& row : search_rows(report.resolution, *finding.object, edge, false))
    rows += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td><code>{}</code></td><td{}>{}</td></tr>\n",
                        row.number == 0 ? "" : std::to_string(row.number), xml_text(row.rule), xml_text(row.place),
                        row.tone == Tone::bad ? " class=\"bad\"" : "", xml_text(row.result));
  if (rows.empty()) return "";
  return "<h3>searched, in this order</h3>\n<table><thead><tr><th></th><th>rule</th><th>place</th><th>result</th></tr>"
         "</thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

/// A text with what stands between backticks as code.
std::string rich_text(std::string_view text) {
  std::string result, rest = xml_text(text);
  for (std::size_t begin = 0;;) {
    const auto open = rest.find('`', begin), close = open == std::string::npos ? open : rest.find('`', open + 1);
    if (close == std::string::npos) return result + rest.substr(begin);
    result += rest.substr(begin, open - begin) + "<code>" + rest.substr(open + 1, close - open - 1) + "</code>";
    begin = close + 1;
  }
}

std::string fixes_html(const Finding& finding) {
  std::string text;
  for (const auto& fix : finding.fixes) {
    text += fmt::format("<p>{}</p>", rich_text(fix.title));
    if (!fix.command.empty()) {
      std::string command;
      for (const auto line : split(fix.command, "\n")) command += (command.empty() ? "" : "\n") + xml_text(line);
      text += fmt::format("<pre>{}</pre>", command);
    }
    if (!fix.side_effect.empty()) text += fmt::format("<p class=\"faint\">{}</p>", rich_text(fix.side_effect));
  }
  return text;
}

/// Fixes come first; evidence is for readers who doubt them.
std::string finding_html(const Report& report, const Finding& finding, bool open) {
  const auto level = to_string(finding.level);
  std::string body;
  body += item("fix", fixes_html(finding));
  for (const auto& vain : finding.does_not_help) body += item("won't help", rich_text(vain));
  if (finding.object && *finding.object < report.resolution.objects.size())
    body += item("file", "<code>" + xml_text(report.resolution.objects[*finding.object].path) + "</code>");
  body += item("result", rich_text(finding.consequence));
  for (const auto& evidence : finding.evidence) {
    auto text = rich_text(evidence.text);
    if (!evidence.path.empty() && evidence.text.find(evidence.path) == std::string::npos)
      text += " <code>" + xml_text(evidence.path) + "</code>";
    text += fmt::format(" <span class=\"faint\">{}{}</span>", to_string(evidence.basis),
                        evidence.source.empty() ? "" : ": " + xml_text(evidence.source));
    body += item("because", text);
  }
  return fmt::format(
      "<details data-row data-level=\"{}\"{}><summary><span class=\"level {}\">{}</span> {} {}: "
      "{}</summary>\n<dl>\n{}</dl>\n{}"
      "</details>\n",
      level, open || finding.level == Level::error ? " open" : "", level, level, finding.code, finding.name,
      rich_text(finding.message), body, search_html(report, finding));
}

/// Who brought an object in, by the request that loaded it.
std::string origin_html(const Report& report, ObjectId id) {
  const auto& objects = report.resolution.objects;
  for (const auto& object : objects)
    for (const auto& edge : object.edges)
      if (edge.object == id && edge.status == EdgeStatus::loaded)
        return fmt::format("{}</td><td class=\"rule\">{}", xml_text(file_name(object.path)), spoken(edge.rule));
  return "</td><td>";
}

std::string objects_html(const Report& report) {
  std::string rows, optional;
  const auto& objects = report.resolution.objects;
  for (const auto& object : objects)
    for (const auto& edge : object.edges)
      if (!edge.object && edge.status != EdgeStatus::not_loaded)
        // The absence of what is optional is not a failure: it comes last.
        (edge.hard ? rows : optional) += fmt::format(
            "<tr data-row><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td></td><td></td></tr>\n",
            edge.hard ? "bad" : "faint", xml_text(edge.name),
            edge.status == EdgeStatus::rejected ? "refused" : "not found", xml_text(file_name(object.path)));
  for (ObjectId id = 0; id < objects.size(); ++id) {
    const auto& object = objects[id];
    const auto package =
        object.package ? object.package->name + (object.package->version.empty() ? "" : " " + object.package->version)
                       : std::string();
    rows += fmt::format("<tr data-row><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                        xml_text(file_name(object.path)), xml_text(object.path), origin_html(report, id),
                        xml_text(package));
  }
  rows += optional;
  if (rows.empty()) return "";
  return fmt::format(
      "<h3>{}</h3>\n<table><thead><tr><th>library</th><th>path</th><th>first needed "
      "by</th><th>found by</th><th>package</th></tr></thead><tbody>\n{}</tbody></table>\n",
      counted(objects.size(), "file"), rows);
}

std::string picture_html(const Report& report, std::size_t number) {
  const auto picture = picture_of(report, most_page_edges);
  if (picture.edges.empty()) return "";
  auto text = fmt::format(
      "<h3>who loads what</h3>\n<p class=\"faint\">Callers are on the left; missing files are red and come first. "
      "<span "
      "class=\"needs-script\">Click a library to see who needs it and what it needs.</span></p>\n<input "
      "class=\"systems\" type=\"checkbox\" id=\"systems{0}\"><label for=\"systems{0}\"> with libraries of the "
      "system</label>\n<div class=\"scroll\">\n{1}</div>\n",
      number, html_graph(picture));
  if (picture.left_out != 0)
    text += fmt::format("<p class=\"faint\">{} more requests are left out.</p>\n", picture.left_out);
  return text;
}

/// For which machine and Python the answer holds.
std::string world_html(const Report& report) {
  const auto& world = report.resolution.world;
  std::string text = world.kind == WorldKind::tag  ? "any " + (world.name.empty() ? "machine" : world.name + " system")
                     : report.query.sysroot != "/" ? report.query.sysroot
                                                   : "this machine";
  for (const auto& import : report.resolution.imports)
    if (!import.python_version.empty()) {
      text += "; Python " + import.python_version + (import.python.empty() ? "" : ", " + import.python);
      break;
    }
  return "<p class=\"faint\">Judged for " + xml_text(text) + "</p>\n";
}

class HtmlWriter final : public DocumentWriter {
 public:
  explicit HtmlWriter(std::string about) : about_(std::move(about)) {}

  void add(const Report& report) override {
    const auto name = xml_text(name_of_question(report));
    const auto verdict =
        fmt::format("<span class=\"verdict {}\">{}</span>", to_string(report.verdict), spoken(report.verdict));
    const auto number = ++answers_;
    ++verdict_counts_[static_cast<std::size_t>(report.verdict)];
    Part part{rank_of(report.verdict), "", ""};
    part.row = fmt::format(
        "<tr data-row><td>{}</td><td><a href=\"#answer{}\">{}</a></td><td>{}</td><td class=\"number\">{}</td></tr>\n",
        verdict, number, name, rich_text(report.headline), report.findings.size());
    std::string section =
        fmt::format("<h2 id=\"answer{}\">{}</h2>\n<p>{} {}</p>\n", number, name, verdict, rich_text(report.headline));
    section += world_html(report);
    for (const auto& finding : report.findings)
      section += finding_html(report, finding, &finding == &report.findings.front());
    part.section = "<section>\n" + section + picture_html(report, number) + objects_html(report) + "</section>\n";
    parts_.push_back(std::move(part));
  }

  void finish(std::ostream& out) override {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.rank < b.rank; });
    write_page_start(verdicts_line(verdict_counts_), out);
    if (!about_.empty()) out << "<p class=\"faint\"><code>" << xml_text(about_) << "</code></p>\n";
    if (answers_ > 1) {
      out << "<table><thead><tr><th>verdict</th><th>target</th><th></th><th>findings</th></tr></thead><tbody>\n";
      for (const Part& part : parts_) out << part.row;
      out << "</tbody></table>\n";
    }
    for (const Part& part : parts_) out << part.section;
    write_page_end(out);
  }

 private:
  struct Part {
    int rank{};
    std::string row, section;
  };
  std::string about_;  ///< the command and the day
  std::vector<Part> parts_;
  std::size_t answers_ = 0;
  std::array<std::size_t, 5> verdict_counts_{};  ///< in the order of Verdict
};

}  // namespace

std::unique_ptr<DocumentWriter> make_html_writer(const std::string& about) {
  return std::make_unique<HtmlWriter>(about);
}

}  // namespace cudald

#include "report/text/finding_text.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/utf8.h"
#include "base/windows_path.h"
#include "report/text/requests.h"
#include "report/text/search_table.h"

namespace cudald {
namespace {

constexpr std::size_t section_indent = 2;

std::string_view way_of_asking(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::needed: return "DT_NEEDED";
    case EdgeKind::filter: return "DT_FILTER";
    case EdgeKind::auxiliary: return "DT_AUXILIARY";
    case EdgeKind::preload: return "preload";
    case EdgeKind::dlopen: return "dlopen";
    case EdgeKind::import: return "import table";
    case EdgeKind::delay_import: return "delay import";
    case EdgeKind::forwarder: return "forwarder";
  }
  return "";
}

std::string source_of(const Evidence& evidence) {
  switch (evidence.basis) {
    case Basis::proven: return "proven";
    case Basis::rule: return evidence.source.empty() ? "rule" : "rule: " + escaped(evidence.source);
    case Basis::table: return evidence.source.empty() ? "table" : "table: " + escaped(evidence.source);
  }
  return "";
}

/// "A  title", with further lines below the title.
std::string lettered(char letter, const std::string& title, std::size_t width) {
  std::string result;
  for (const std::string& line : wrapped(title, std::max<std::size_t>(width, 40) - 3))
    result += result.empty() ? fmt::format("{}  {}", letter, line) : "\n   " + line;
  return result;
}

}  // namespace

std::string FindingText::head(const Finding& finding) const {
  return text_.linked(finding.code, text_.painted(tone_of(finding.level),
                                                  fmt::format("{}[{}]", to_string(finding.level), finding.code))) +
         ' ' + text_.painted(Tone::strong, finding.name);
}

std::string FindingText::brief(const Finding& finding) const { return head(finding) + ": " + escaped(finding.message); }

void FindingText::tell(const Finding& finding) {
  text_.line(head(finding));
  const std::string& library = text_.style().library;
  const bool headline_says_it =
      library.empty() ? report_.headline.find(finding.message) != std::string::npos : finding.subject == library;
  if (!headline_says_it) text_.paragraph(escaped(finding.message), section_indent);

  const Object* object = finding.object ? &report_.resolution.objects[*finding.object] : nullptr;
  const Edge* edge = object != nullptr && finding.edge ? &object->edges[*finding.edge] : nullptr;
  if (edge != nullptr) {
    tell_request(*finding.object, *edge);
  } else if (object != nullptr) {
    text_.labelled("in", escaped(object->path), section_indent);
    tell_chain(*finding.object);
  }
  tell_evidence(finding);
  if (edge != nullptr && !(edge->search.probes.empty() && edge->search.skipped.empty())) {
    text_.line();
    tell_search(*finding.object, *edge);
  }
  const bool more = !finding.consequence.empty() || !finding.fixes.empty() || !finding.does_not_help.empty();
  if (more) text_.line();
  if (!finding.consequence.empty()) text_.labelled("result", escaped(finding.consequence));
  tell_fixes(finding);
}

void FindingText::tell_request(ObjectId requester, const Edge& edge) {
  const Object& object = report_.resolution.objects[requester];
  if (!edge.known.function.empty()) {
    text_.labelled("may open it", escaped(object.path), section_indent, constant_words(edge));
  } else if (edge.asked_at.empty()) {
    text_.labelled(
        "needed by", escaped(object.path), section_indent,
        report_.resolution.windows && edge.kind == EdgeKind::dlopen ? "LoadLibrary" : way_of_asking(edge.kind));
  } else {
    text_.labelled(
        "needed by", escaped(edge.asked_at), section_indent,
        fmt::format("{} by {}", report_.resolution.windows ? "LoadLibrary" : "dlopen",
                    escaped(object.known_by_name ? windows_file_name(object.path) : file_name(object.path))));
  }
  tell_chain(requester);
}

void FindingText::tell_chain(ObjectId id) {
  const auto chain = graph_.shortest_chain(id);
  if (!chain || chain->empty()) return;
  const auto& objects = report_.resolution.objects;
  std::string path = escaped(file_name(objects[chain->front().from].path));
  for (const Hop& hop : *chain) {
    const auto& edge = objects[hop.from].edges[hop.edge];
    if (!edge.asked_at.empty()) path = escaped(edge.asked_at);  // the code asks, not the program that runs it
    path += (text_.style().ascii ? " -> " : " → ") + escaped(edge.name);
  }
  text_.labelled("through", path, section_indent);
}

void FindingText::tell_search(ObjectId requester, const Edge& edge) {
  write_search_table(search_rows(report_.resolution, requester, edge, text_.style().verbosity > 0), text_);
}

void FindingText::tell_evidence(const Finding& finding) {
  std::string_view label = "because";
  const std::string told_path = finding.object ? report_.resolution.objects[*finding.object].path : "";
  for (const Evidence& evidence : finding.evidence) {
    std::string body = escaped(evidence.text);
    const bool path_is_known = evidence.path == told_path || evidence.text.find(evidence.path) != std::string::npos;
    if (!path_is_known) body += "\n" + escaped(evidence.path);
    text_.labelled(label, body, section_indent, source_of(evidence));
    label = "";
  }
}

void FindingText::tell_fixes(const Finding& finding) {
  std::string_view label = "fix";
  char letter = 'A';
  for (const Fix& fix : finding.fixes) {
    std::string title = escaped(fix.title);
    if (!fix.side_effect.empty()) title += "; " + escaped(fix.side_effect);
    if (finding.fixes.size() > 1)
      title = lettered(letter++, title, text_.width() - std::min(text_.width(), TextWriter::body_column));
    text_.labelled(label, title);
    label = "";
    if (fix.command.empty()) continue;
    const std::string indent(TextWriter::body_column + 5, ' ');
    for (const std::string_view command : split(fix.command, "\n"))
      text_.line(indent + text_.painted(Tone::strong, escaped(command)));
  }
  label = "won't help";
  for (const std::string& advice : finding.does_not_help) {
    text_.labelled(label, escaped(advice));
    label = "";
  }
}

void write_fix(std::string_view label, const Fix& fix, std::size_t indent, TextWriter& text) {
  if (fix.command.empty()) {
    text.paragraph(fmt::format("{} {}", label, escaped(fix.title)), indent);
    return;
  }
  auto lines = split(fix.command, "\n");
  // What a command does not do by itself: "before the import: import os; os.add_dll_directory(...)".
  if (const auto place = fix.side_effect.find("before the import: "); place != std::string::npos)
    lines.push_back(std::string_view(fix.side_effect).substr(place));
  if (lines.size() == 1) {
    text.line(std::string(indent, ' ') + text.painted(Tone::label, label) + ' ' +
              text.painted(Tone::strong, escaped(lines.front())));
    return;
  }
  text.line(std::string(indent, ' ') + text.painted(Tone::label, label));
  for (const std::string_view line : lines)
    text.line(std::string(indent + 2, ' ') + text.painted(Tone::strong, escaped(line)));
}

}  // namespace cudald

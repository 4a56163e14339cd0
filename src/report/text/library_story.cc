#include "report/text/library_story.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/shell_word.h"
#include "report/text/finding_text.h"
#include "report/text/requests.h"
#include "report/text/search_table.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

bool is_about(const Finding& finding, const std::vector<RequestPlace>& places, const std::string& library) {
  if (finding.subject == library || traits_of(finding).speaks_for_all) return true;
  return finding.object && finding.edge && std::any_of(places.begin(), places.end(), [&](const RequestPlace& place) {
           return place.requester == *finding.object && place.edge == *finding.edge;
         });
}

std::string answer_of(const Resolution& resolution, const Edge& edge) {
  if (edge.status == EdgeStatus::not_loaded && !edge.search.probes.empty())
    return fmt::format("{}  {}  loaded only on use", escaped(edge.search.probes.back().path), bracketed(edge.rule));
  if (!edge.object) return edge.error.empty() ? std::string(to_string(edge.status)) : escaped(edge.error);
  const std::string path = escaped(resolution.objects[*edge.object].path);
  if (edge.status != EdgeStatus::already_loaded) return fmt::format("{}  {}", path, bracketed(edge.rule));
  return fmt::format("{}  already loaded: the same {}", path, to_string(edge.matched));
}

/// The request that tells most: the one whose search brought the library in, or missed it.
const RequestPlace& most_telling(const Resolution& resolution, const std::vector<RequestPlace>& places) {
  const auto searched = std::find_if(places.begin(), places.end(), [&](const RequestPlace& place) {
    return resolution.objects[place.requester].edges[place.edge].status != EdgeStatus::already_loaded;
  });
  return searched == places.end() ? places.front() : *searched;
}

/// A request with its search and what came of it.
void tell_search(FindingText& findings, ObjectId requester, const Edge& edge, const Resolution& resolution,
                 TextWriter& text) {
  text.line(text.painted(Tone::strong, escaped(edge.name)));
  findings.tell_request(requester, edge);
  text.labelled(edge.object ? "found" : "result", answer_of(resolution, edge), 2);
  if (!(edge.search.probes.empty() && edge.search.skipped.empty())) {
    text.line();
    findings.tell_search(requester, edge);
  }
  text.line();
}

/// Who may open it by a name among constants, but for the first ones, which are told.
void tell_constants(const Resolution& resolution, const std::vector<RequestPlace>& places, std::size_t told,
                    TextWriter& text) {
  constexpr std::size_t most_listed = 6;
  const std::size_t listed = text.style().verbosity > 0 ? places.size() : std::min(places.size(), told + most_listed);
  for (std::size_t i = told; i < listed; ++i) {
    const Object& requester = resolution.objects[places[i].requester];
    text.labelled(i == told ? "may open it" : "", escaped(requester.path), 0,
                  constant_words(requester.may_open[places[i].edge]));
  }
  if (listed < places.size())
    text.labelled("", fmt::format("and {}; -v shows all", counted(places.size() - listed, "other object")));
}

/// What is found about a library that no request in the files is about.
void tell_findings_about(const Report& report, const std::string& library, TextWriter& text) {
  FindingText findings(report, text);
  for (const Finding& finding : report.findings) {
    if (finding.subject != library) continue;
    findings.tell(finding);
    text.line();
  }
}

}  // namespace

void write_library_story(const Report& report, TextWriter& text) {
  const Resolution& resolution = report.resolution;
  const std::string& library = text.style().library;
  const std::vector<RequestPlace> places = requests_for(resolution, library);
  const std::vector<RequestPlace> constants = constants_for(resolution, library);
  const auto object = find_object(resolution, library);
  text.line();
  if (places.empty()) tell_findings_about(report, library, text);
  if (places.empty() && !constants.empty()) {
    FindingText findings(report, text);
    const RequestPlace& first = constants.front();
    tell_search(findings, first.requester, resolution.objects[first.requester].may_open[first.edge], resolution, text);
    tell_constants(resolution, constants, 1, text);
    text.paragraph(fmt::format("No file requires {}; {} may open it by a name among {} constants.", escaped(library),
                               counted(constants.size(), "file"), constants.size() == 1 ? "its" : "their"));
    return;
  }
  if (places.empty()) {
    text.paragraph(object ? fmt::format("{} is loaded because you asked for it; nothing in the process needs it.",
                                        escaped(library))
                          : fmt::format("Nothing in this process needs {}{}", escaped(library),
                                        escaped(similar_library(resolution, library))));
    return;
  }

  FindingText findings(report, text);
  const RequestPlace& chief = most_telling(resolution, places);
  const Edge& edge = resolution.objects[chief.requester].edges[chief.edge];
  bool told_by_finding = false;
  for (const Finding& finding : report.findings) {
    if (!is_about(finding, places, library)) continue;
    findings.tell(finding);
    text.line();
    told_by_finding |= finding.object == chief.requester && finding.edge == chief.edge;
  }
  if (!told_by_finding) tell_search(findings, chief.requester, edge, resolution, text);

  std::string_view label = "also needed by";
  const std::size_t most_listed = text.style().verbosity > 0 ? places.size() : 6;
  std::size_t listed = 0;
  for (const RequestPlace& place : places) {
    if (place.requester == chief.requester && place.edge == chief.edge) continue;
    if (++listed > most_listed) continue;
    const Object& requester = resolution.objects[place.requester];
    const Edge& other = requester.edges[place.edge];
    const bool same_answer = other.object == edge.object && other.status == EdgeStatus::already_loaded;
    const std::string answer = same_answer ? "same file" : answer_of(resolution, other);
    text.labelled(label, escaped(requester.path), 0, answer);
    label = "";
  }
  if (listed > most_listed)
    text.labelled("", fmt::format("and {}; -v shows all", counted(listed - most_listed, "other object")));
  tell_constants(resolution, constants, 0, text);
  text.paragraph_before(fmt::format("{} for {}.", counted(places.size(), "request"), escaped(library)),
                        fmt::format("Next: {} {}", next_command(report, "why"), shell_word(library)));
}

}  // namespace cudald

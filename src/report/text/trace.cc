#include "report/text/trace.h"

#include <fmt/format.h>

#include <cudald/report.h>

#include "report/text/search_table.h"
#include "report/text/text.h"

namespace cudald {
namespace {

void trace_request(const Resolution& resolution, const Edge& edge, TextWriter& text) {
  const auto kind = edge.hard ? std::string(to_string(edge.kind)) : fmt::format("{}, soft", to_string(edge.kind));
  const auto answer = edge.object ? fmt::format("#{} {}", *edge.object, escaped(resolution.objects[*edge.object].path))
                                  : std::string(to_string(edge.status));
  text.line(fmt::format("  {} ({}) -> {}", escaped(edge.name), kind, answer));
  const auto& probes = edge.search.probes;
  const auto& skipped = edge.search.skipped;
  std::size_t told = 0;
  const auto tell_skipped = [&](std::size_t before) {
    for (; told < skipped.size() && skipped[told].before <= before; ++told)
      text.line(text.painted(Tone::faint,
                             fmt::format("    {}: {}", spoken(skipped[told].rule), escaped(skipped[told].reason))));
  };
  for (std::size_t i = 0; i < probes.size(); ++i) {
    tell_skipped(i);
    text.line(
        fmt::format("    {} {}: {}", bracketed(probes[i].rule), escaped(probes[i].path), result_words(probes[i])));
  }
  tell_skipped(probes.size());
}

}  // namespace

void write_trace(const Report& report, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  text.line();
  text.line(text.painted(Tone::label, "trace"));
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    text.line(fmt::format("#{} {}{}", id, text.painted(Tone::strong, escaped(objects[id].path)),
                          objects[id].unmapped ? " (not mapped)" : ""));
    for (const Edge& edge : objects[id].edges) trace_request(report.resolution, edge, text);
  }
}

}  // namespace cudald

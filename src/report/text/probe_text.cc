#include "report/text/probe_text.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"

namespace cudald {
namespace {

std::string_view spoken(ProbeWay way) {
  switch (way) {
    case ProbeWay::open: return "by dlopen";
    case ProbeWay::list: return "by ld.so --list, without running it";
    case ProbeWay::import: return "by import in its Python";
  }
  return "";
}

std::string names_of(const ProbeRun& run) {
  std::string names;
  for (const auto& target : run.targets) names += (names.empty() ? "" : ", ") + std::string(file_name(target.name));
  return names;
}

std::string sentence(const ProbeRun& run) {
  if (run.end == ProbeEnd::not_started) return "no process could be started";
  if (!run.mapped_all) return fmt::format("{}: it failed before listing its mapped files", names_of(run));
  return fmt::format("{}, {}: {} mapped, {}, in {:.2f} s", names_of(run), spoken(run.way),
                     counted(run.mapped.size(), "file"),
                     run.differences.empty() ? "set and order match"
                     : run.only_order        ? "set matches, order differs"
                                             : "not as predicted",
                     run.seconds);
}

void write_checks(const ProbeRun& run, TextWriter& text) {
  std::string_view library;
  for (const auto& check : run.checks) {
    if (check.library != library) text.labelled("queried", escaped(check.library));
    library = check.library;
    const auto word = check.result == CheckResult::not_run  ? "not run: "
                      : check.result == CheckResult::failed ? "FAILS: "
                                                            : "";
    text.paragraph(escaped(fmt::format("{}: {}{}", check.what, word, check.text)), TextWriter::body_column);
  }
}

}  // namespace

void write_probe(const ProbeReport& probe, TextWriter& text) {
  for (const auto& run : probe.runs) {
    text.labelled("probed", escaped(sentence(run)));
    for (const auto& target : run.targets)
      if (!target.error.empty()) text.paragraph(escaped(target.error), TextWriter::body_column);
    if (run.output_bytes > 0 && text.style().verbosity > 0)
      text.labelled("it wrote", escaped(fmt::format("{} bytes: {}", run.output_bytes, run.output)));
    if (!run.mapped_later.empty() && text.style().verbosity > 0)
      for (const auto& path : run.mapped_later) text.labelled("then mapped", escaped(path));
    write_checks(run, text);
  }
  for (const auto& reason : probe.not_run) text.labelled("not probed", escaped(reason));
}

}  // namespace cudald

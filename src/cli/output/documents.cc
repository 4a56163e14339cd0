#include "cli/output/documents.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/deployment.h>
#include <cudald/report.h>

#include "cli/output/query.h"
#include "cli/output/terminal.h"
#include "cli/output/views.h"

namespace cudald {

Result<Documents> Documents::open(const Options& options, const TextStyle& style, const Host& host, Output& main,
                                  std::size_t answers) {
  Documents all(host);
  const bool several = answers > 1;
  // Findings of several targets are sorted, and so written when the last is there; a trace is too long for that.
  const bool as_table = several && options.command == Command::check && options.output.format == OutputFormat::text &&
                        style.verbosity < 2;
  all.places_.push_back({options, style, &main, nullptr,
                         as_table ? make_check_writer(style) : make_document_writer(options),
                         several && rule_of(options.output.format).one_document});
  for (const auto& wish : options.output.documents) {
    auto file = Output::open(wish.path);
    if (!file) {
      all.discard();
      return Error{ErrorCode::usage,
                   fmt::format("cannot write {}: {}", escaped(file.error().path), file.error().message)};
    }
    auto own = options;
    own.output.format = wish.format;
    own.output.path = wish.path;
    auto& output = **file;
    all.places_.push_back({own, make_style(own, host.terminal), &output, std::move(*file), make_document_writer(own),
                           several && rule_of(wish.format).one_document});
  }
  return all;
}

int Documents::tell(const Report& report, Place& place) {
  if (place.document) {
    place.document->add(report);
    return exit_status(place.options, report);
  }
  if (place.array) place.output->stream() << (place.written++ == 0 ? "[\n" : ",\n");
  const int status = write_view({place.options, place.style, *host_, report}, place.output->stream());
  if (rule_of(place.options.output.format).as_they_come) place.output->stream().flush();
  return status;
}

int Documents::tell(const Report& report, bool main_too) {
  int status = 0;
  for (std::size_t i = main_too ? 0 : 1; i < places_.size(); ++i) status = std::max(status, tell(report, places_[i]));
  return status;
}

int Documents::tell(const Deployment& deployment) {
  int status = 0;
  for (auto& place : places_) {
    if (place.document) {
      for (const auto& report : deployment.alone) place.document->add(report);
      place.document->add(deployment.together);
    } else {
      write_view(place.options.output.format, deployment, place.style, place.output->stream());
    }
    for (const auto& report : deployment.alone) status = std::max(status, exit_status(place.options, report));
    status = std::max(status, exit_status(place.options, deployment.together));
  }
  return status;
}

std::optional<Error> Documents::finish() {
  std::optional<Error> fault;
  for (auto& place : places_) {
    if (place.document) place.document->finish(place.output->stream());
    if (place.array) place.output->stream() << (place.written == 0 ? "[]\n" : "]\n");
    if (!place.own) continue;
    if (auto error = place.own->finish(); error && !fault) fault = std::move(error);
  }
  return fault;
}

void Documents::discard() {
  for (auto& place : places_)
    if (place.own) place.own->discard();
}

}  // namespace cudald

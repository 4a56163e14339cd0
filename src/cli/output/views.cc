#include "cli/output/views.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/deployment.h>
#include <cudald/report.h>

#include "cli/options/exit_status.h"
#include "cli/options/option_table.h"
#include "cli/output/host.h"
#include "cli/output/query.h"
#include "report/text/requests.h"
#include "report/text/trace.h"
#include "report/views/diff.h"
#include "report/views/repair.h"

namespace cudald {
namespace {

bool is_incomplete(const ReportView& view) {
  return view.report.verdict == Verdict::unknown && !view.options.judgement.allow_incomplete;
}

int no_such_library(const ReportView& view, const std::string& library) {
  view.host.complaints << fmt::format("cudald: nothing here needs {}{}\n", escaped(library),
                                      escaped(similar_library(view.report.resolution, library)));
  return is_incomplete(view) ? exit_incomplete : exit_findings;
}

int explanation_as_text(const ReportView& view, std::ostream& out) {
  write_explanation(view.report, view.style, out);
  if (view.style.verbosity > 1) write_trace(view.report, view.style, out);
  return exit_status(view.options, view.report);
}

int findings_as_text(const ReportView& view, std::ostream& out) {
  write_findings(view.report, view.style, out);
  if (view.style.verbosity > 1) write_trace(view.report, view.style, out);
  return exit_status(view.options, view.report);
}

int tree_as_text(const ReportView& view, std::ostream& out) {
  const auto& inverted = view.options.question.invert;
  if (!write_tree(view.report, view.style, inverted, out)) return no_such_library(view, inverted);
  return exit_status(view.options, view.report);
}

int chains_as_text(const ReportView& view, std::ostream& out) {
  const auto& library = view.options.question.library;
  if (!write_why(view.report, view.style, library, view.options.question.all_chains, out))
    return no_such_library(view, library);
  return is_incomplete(view) ? exit_incomplete : exit_fine;
}

template <bool compact>
int report_as_json(const ReportView& view, std::ostream& out) {
  write_json(view.report, compact, out);
  return exit_status(view.options, view.report);
}

template <bool compact>
int tree_as_json(const ReportView& view, std::ostream& out) {
  const auto& inverted = view.options.question.invert;
  if (inverted.empty()) return report_as_json<compact>(view, out);
  if (!write_requesters_json(view.report, inverted, compact, out)) return no_such_library(view, inverted);
  return exit_status(view.options, view.report);
}

template <bool compact>
int chains_as_json(const ReportView& view, std::ostream& out) {
  const auto& library = view.options.question.library;
  const bool found = write_why_json(view.report, library, view.options.question.all_chains, compact, out);
  return !found ? no_such_library(view, library) : is_incomplete(view) ? exit_incomplete : exit_fine;
}

void file_as_text(const FileView& view, const TextStyle& style, std::ostream& out) {
  write_image(view.path, view.image, view.symbols, style, out, view.gpu, view.cuda, view.texts);
}

void diff_as_text(const DiffView& view, const TextStyle& style, std::ostream& out) {
  write_diff(view.a, view.b, view.changes, style, out);
}

template <bool compact>
void file_as_json(const FileView& view, const TextStyle&, std::ostream& out) {
  write_image_json(view.path, view.image, view.symbols, compact, out, view.gpu, view.cuda, view.texts);
}

template <bool compact>
void diff_as_json(const DiffView& view, const TextStyle&, std::ostream& out) {
  write_diff_json(view.a, view.b, view.changes, compact, out);
}

/// A writer of JSON that needs to know nothing but whether it writes one line.
template <auto write, typename View, bool compact>
auto as_json(const View& view, const TextStyle&, std::ostream& out) {
  return write(view, compact, out);
}

constexpr CommandSet judging_commands = set_of(Command::explain) | set_of(Command::check) | set_of(Command::probe),
                     drawing = judging_commands | set_of(Command::tree);

struct ReportRow {
  CommandSet commands;
  OutputFormat format;
  int (*write)(const ReportView&, std::ostream&);
};

constexpr ReportRow report_views[] = {
    {set_of(Command::explain) | set_of(Command::probe), OutputFormat::text, explanation_as_text},
    {set_of(Command::check), OutputFormat::text, findings_as_text},
    {set_of(Command::tree), OutputFormat::text, tree_as_text},
    {set_of(Command::why), OutputFormat::text, chains_as_text},
    {judging_commands, OutputFormat::json, report_as_json<false>},
    {judging_commands, OutputFormat::ndjson, report_as_json<true>},
    {set_of(Command::tree), OutputFormat::json, tree_as_json<false>},
    {set_of(Command::tree), OutputFormat::ndjson, tree_as_json<true>},
    {set_of(Command::why), OutputFormat::json, chains_as_json<false>},
    {set_of(Command::why), OutputFormat::ndjson, chains_as_json<true>},
};

struct DocumentRow {
  CommandSet commands;
  OutputFormat format;
  std::unique_ptr<DocumentWriter> (*make)(const Options&);
};

template <auto make>
std::unique_ptr<DocumentWriter> made_by(const Options&) {
  return make();
}

std::unique_ptr<DocumentWriter> html_by(const Options& options) { return make_html_writer(options.about); }

std::unique_ptr<DocumentWriter> junit_by(const Options& options) {
  return make_junit_writer(options.judgement.fail_on);
}

constexpr DocumentRow document_views[] = {
    {judging_commands, OutputFormat::sarif, made_by<make_sarif_writer>},
    {judging_commands, OutputFormat::junit, junit_by},
    {judging_commands, OutputFormat::github, made_by<make_github_writer>},
    {judging_commands, OutputFormat::markdown, made_by<make_markdown_writer>},
    {judging_commands, OutputFormat::html, html_by},
    {drawing, OutputFormat::dot, made_by<make_dot_writer>},
    {drawing, OutputFormat::mermaid, made_by<make_mermaid_writer>},
    {judging_commands, OutputFormat::cyclonedx, made_by<make_cyclonedx_writer>},
};

template <typename View, typename Answer = void>
struct Row {
  OutputFormat format;
  Answer (*write)(const View&, const TextStyle&, std::ostream&);
};

constexpr Row<FileView> file_views[] = {
    {OutputFormat::text, file_as_text},
    {OutputFormat::json, file_as_json<false>},
    {OutputFormat::ndjson, file_as_json<true>},
};
constexpr Row<WheelReport> wheel_views[] = {
    {OutputFormat::text, write_wheel},
    {OutputFormat::json, as_json<write_wheel_json, WheelReport, false>},
    {OutputFormat::ndjson, as_json<write_wheel_json, WheelReport, true>},
};
constexpr Row<Deployment> deployment_views[] = {
    {OutputFormat::text, write_deployment},
    {OutputFormat::json, as_json<write_deployment_json, Deployment, false>},
    {OutputFormat::ndjson, as_json<write_deployment_json, Deployment, true>},
};
constexpr Row<CudaStack> stack_views[] = {
    {OutputFormat::text, write_env},
    {OutputFormat::json, as_json<write_env_json, CudaStack, false>},
    {OutputFormat::ndjson, as_json<write_env_json, CudaStack, true>},
};
constexpr Row<DiffView> diff_views[] = {
    {OutputFormat::text, diff_as_text},
    {OutputFormat::json, diff_as_json<false>},
    {OutputFormat::ndjson, diff_as_json<true>},
};
using RepairedTargets = std::vector<RepairedTarget>;
constexpr Row<RepairedTargets> repair_views[] = {
    {OutputFormat::text, write_repair},
    {OutputFormat::json, as_json<write_repair_json, RepairedTargets, false>},
    {OutputFormat::ndjson, as_json<write_repair_json, RepairedTargets, true>},
};
constexpr Row<MessageReading> message_views[] = {
    {OutputFormat::text, write_message},
    {OutputFormat::json, as_json<write_message_json, MessageReading, false>},
    {OutputFormat::ndjson, as_json<write_message_json, MessageReading, true>},
};
constexpr Row<ProvidesQuestion, bool> provides_views[] = {
    {OutputFormat::text, write_provides},
    {OutputFormat::json, as_json<write_provides_json, ProvidesQuestion, false>},
    {OutputFormat::ndjson, as_json<write_provides_json, ProvidesQuestion, true>},
};

template <typename Rows>
bool has_row(const Rows& rows, OutputFormat format) {
  return std::any_of(std::begin(rows), std::end(rows), [&](const auto& row) { return row.format == format; });
}

/// The row of a format that has_format() knows for the command: --format takes no other.
template <typename Rows>
const auto& row_of(const Rows& rows, OutputFormat format) {
  return *std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.format == format; });
}

}  // namespace

int write_view(const ReportView& view, std::ostream& out) {
  const auto& options = view.options;
  const auto* row = std::find_if(std::begin(report_views), std::end(report_views), [&](const ReportRow& each) {
    return each.format == options.output.format && (each.commands & set_of(options.command)) != 0;
  });
  return row->write(view, out);
}

void write_view(OutputFormat format, const FileView& view, const TextStyle& style, std::ostream& out) {
  row_of(file_views, format).write(view, style, out);
}

void write_view(OutputFormat format, const WheelReport& wheel, const TextStyle& style, std::ostream& out) {
  row_of(wheel_views, format).write(wheel, style, out);
}

void write_view(OutputFormat format, const Deployment& deployment, const TextStyle& style, std::ostream& out) {
  row_of(deployment_views, format).write(deployment, style, out);
}

void write_view(OutputFormat format, const CudaStack& stack, const TextStyle& style, std::ostream& out) {
  row_of(stack_views, format).write(stack, style, out);
}

void write_view(OutputFormat format, const DiffView& view, const TextStyle& style, std::ostream& out) {
  row_of(diff_views, format).write(view, style, out);
}

void write_view(OutputFormat format, const std::vector<RepairedTarget>& targets, const TextStyle& style,
                std::ostream& out) {
  row_of(repair_views, format).write(targets, style, out);
}

void write_view(OutputFormat format, const MessageReading& reading, const TextStyle& style, std::ostream& out) {
  row_of(message_views, format).write(reading, style, out);
}

bool write_view(OutputFormat format, const ProvidesQuestion& question, const TextStyle& style, std::ostream& out) {
  return row_of(provides_views, format).write(question, style, out);
}

std::unique_ptr<DocumentWriter> make_document_writer(const Options& options) {
  for (const auto& row : document_views)
    if (row.format == options.output.format && (row.commands & set_of(options.command)) != 0) return row.make(options);
  return nullptr;
}

bool has_format(Command command, std::string_view name) {
  const auto known = find_format(name);
  if (!known) return false;
  const auto format = *known;
  switch (command) {
    case Command::show: return has_row(file_views, format) && has_row(wheel_views, format);
    case Command::env: return has_row(stack_views, format);
    case Command::diff: return has_row(diff_views, format);
    case Command::repair: return has_row(repair_views, format);
    case Command::provides: return has_row(provides_views, format);
    case Command::merge:
      return format == OutputFormat::text || format == OutputFormat::ndjson || format == OutputFormat::sarif ||
             format == OutputFormat::html;
    case Command::rule:
    case Command::config:
      return format == OutputFormat::text || format == OutputFormat::json || format == OutputFormat::ndjson;
    default: break;
  }
  const auto fits = [&](const auto& row) { return row.format == format && (row.commands & set_of(command)) != 0; };
  return std::any_of(std::begin(report_views), std::end(report_views), fits) ||
         std::any_of(std::begin(document_views), std::end(document_views), fits);
}

}  // namespace cudald

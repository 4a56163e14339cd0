#include "cli/simulate.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <cudald/wheel.h>

#include "base/path.h"
#include "cli/answers.h"
#include "cli/exit_status.h"
#include "cli/probe_settings.h"
#include "cli/progress.h"
#include "cli/query.h"
#include "cli/tree.h"
#include "report/requests.h"
#include "report/summary.h"

namespace cudald {
namespace {

Error usage_error(std::string message) { return {ErrorCode::usage, std::move(message), "", std::nullopt, 0}; }

/// The targets or files, `-` replaced by the lines of standard input.
Result<std::vector<std::string>> read_arguments(const Options& options, std::istream& input) {
  std::vector<std::string> arguments;
  for (const std::string& argument : options.arguments) {
    if (argument != "-") {
      arguments.push_back(argument);
      continue;
    }
    for (std::string line; std::getline(input, line);)
      if (!line.empty()) arguments.push_back(line);
  }
  if (arguments.empty()) return usage_error("standard input names no target");
  return arguments;
}

/// One document of JSON has room for one process.
std::optional<Error> too_many_for_json(const Options& options, std::size_t documents) {
  if (options.format != OutputFormat::json || documents < 2) return std::nullopt;
  return usage_error(fmt::format("`-f json` writes one document, and this would be {}; use `-f ndjson`", documents));
}

std::string hint_for(const Error& error, const Options& options) {
  if (error.code == ErrorCode::absent && options.sysroot != "/") return "; paths are those inside " + options.sysroot;
  if (error.code == ErrorCode::unreadable && error.system_error == EACCES)
    return "; run cudald as a user who may read it";
  return "";
}

void complain(const std::string& path, const Error& error, const Options& options, const Host& host) {
  host.complaints << fmt::format("cudald: {}: {}{}\n", escaped(path), escaped(error.message),
                                 escaped(hint_for(error, options)));
}

void complain(const Report& report, const Options& options, const Host& host) {
  for (const Target& target : report.resolution.targets)
    if (target.unreadable) complain(target.given, *target.unreadable, options, host);
}

/// Whether a report would only repeat the complaints: no target could be read, and nothing else is known.
bool says_nothing_more(const Report& report, const Options& options, const TextStyle& style) {
  const auto& targets = report.resolution.targets;
  const auto is_unreadable = [](const Target& target) { return target.unreadable.has_value(); };
  const auto is_told = [&report](const Finding& finding) { return is_unreadable_target(finding, report); };
  const bool findings_wanted =
      (options.command != Command::tree && options.command != Command::why) && style.verbosity >= 0;
  return std::all_of(targets.begin(), targets.end(), is_unreadable) &&
         (!findings_wanted || std::all_of(report.findings.begin(), report.findings.end(), is_told));
}

/// What a run is about, for the line of progress.
std::string work_name(const std::vector<std::string>& targets) {
  std::string name(file_name(targets.front()));
  if (targets.size() > 1) name += fmt::format(" and {} more", targets.size() - 1);
  return name;
}

/// A first target that is no file may be a command, mistyped.
std::optional<Error> mistyped_command(const Options& options, const Report& report) {
  if (options.likely_command.empty()) return std::nullopt;
  const std::string& first = options.arguments.front();
  const auto& targets = report.resolution.targets;
  const bool is_absent = std::any_of(targets.begin(), targets.end(), [&first](const Target& target) {
    return target.given == first && target.unreadable && target.unreadable->code == ErrorCode::absent;
  });
  if (!is_absent) return std::nullopt;
  return usage_error(fmt::format("`{}` is neither a command nor a file or library here; did you mean `{}`?",
                                 escaped(first), options.likely_command));
}

/// Writes one report in the way that was asked for; returns the exit status it stands for.
int write_report(const Options& options, const TextStyle& style, const Host& host, const Report& report,
                 std::ostream& out) {
  const int status = exit_status(options, report);
  if (options.format != OutputFormat::text) {
    write_json(report, options.format == OutputFormat::ndjson, out);
    return status;
  }
  const bool incomplete = report.verdict == Verdict::unknown && !options.allow_incomplete;
  const auto no_such_library = [&](const std::string& library) {
    host.complaints << fmt::format("cudald: nothing here asks for {}{}\n", escaped(library),
                                   escaped(similar_library(report.resolution, library)));
    return incomplete ? exit_incomplete : exit_findings;
  };
  switch (options.command) {
    case Command::check: write_findings(report, style, out); break;
    case Command::tree:
      if (!write_tree(report, style, options.invert, out)) return no_such_library(options.invert);
      break;
    case Command::why:
      if (!write_why(report, style, options.library, options.all_chains, out)) return no_such_library(options.library);
      return incomplete ? exit_incomplete : exit_fine;
    default: write_explanation(report, style, out); break;
  }
  return status;
}

void show_wheel(const Options& options, const TextStyle& style, const WheelReport& wheel, bool first,
                std::ostream& out) {
  if (options.format == OutputFormat::text) {
    if (!first) out << '\n';
    write_wheel(wheel, style, out);
  } else {
    write_wheel_json(wheel, options.format == OutputFormat::ndjson, out);
    if (options.format == OutputFormat::ndjson) out.flush();
  }
}

}  // namespace

Result<int> simulate(const Options& given, const TextStyle& style, const Host& host, Output& output) {
  auto options = given;
  auto targets = read_arguments(options, host.input);
  if (!targets) return targets.error();
  const auto files = open_tree(options, *targets, host);
  if (!files) return files.error();
  const auto queries = make_queries(options, *targets, host.environment);
  if (auto error = too_many_for_json(options, queries.size())) return std::move(*error);

  const std::size_t jobs = options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
  Progress progress(host.complaints, progress_style(options, host.terminal), work_name(*targets), queries.size());
  int status = exit_fine;
  std::optional<Error> mistyped;
  bool first = true;
  const auto take = [&](Report report) {
    mistyped = mistyped_command(options, report);
    if (mistyped) return false;
    const bool is_text = options.format == OutputFormat::text;
    if (is_text || host.terminal.output_is_terminal) progress.end();
    if (options.verify || options.command == Command::probe) {
      Session session(**files);
      probe(report, session, probe_settings(options));
    }
    filter_findings(options, report);
    report.message = options.reading;
    if (is_text && first && options.message && !options.reading)
      host.complaints << "cudald: the message is none that cudald knows; this is what the files say\n";
    const bool separate = is_text && !first && options.command != Command::check && style.verbosity >= 0;
    if (separate) output.stream() << '\n';
    first = false;
    if (is_text) complain(report, options, host);
    if (is_text && says_nothing_more(report, options, style)) {
      if (!options.allow_incomplete) status = exit_incomplete;
      return true;
    }
    status = std::max(status, write_report(options, style, host, report, output.stream()));
    if (options.format == OutputFormat::ndjson) output.stream().flush();
    return !output.reader_is_gone();
  };
  answer_queries(**files, queries, jobs, progress, take);
  if (mistyped) return std::move(*mistyped);
  return status;
}

Result<int> show(const Options& given, const TextStyle& style, const Host& host, Output& output) {
  auto options = given;
  auto paths = read_arguments(options, host.input);
  if (!paths) return paths.error();
  if (auto error = too_many_for_json(options, paths->size())) return std::move(*error);
  const auto files = open_tree(options, *paths, host);
  if (!files) return files.error();

  Session session(**files);
  const std::string folder = options.sysroot == "/" ? host.environment.cwd : "/";
  int status = exit_fine;
  bool first = true;
  for (const std::string& path : *paths) {
    if (path.ends_with(".whl")) {
      const auto wheel = session.wheel(absolute_path(path, folder));
      if (!wheel) {
        complain(path, wheel.error(), options, host);
        if (!options.allow_incomplete) status = exit_incomplete;
        continue;
      }
      if (!wheel->complete && !options.allow_incomplete) status = exit_incomplete;
      show_wheel(options, style, *wheel, std::exchange(first, false), output.stream());
      if (output.reader_is_gone()) break;
      continue;
    }
    Error error;
    const Image* image = session.image(absolute_path(path, folder), error);
    if (image == nullptr) {
      complain(path, error, options, host);
      if (!options.allow_incomplete) status = exit_incomplete;
      continue;
    }
    const PeSymbols symbols = session.pe_symbols(absolute_path(path, folder));
    const auto gpu = session.gpu_code(absolute_path(path, folder));
    const auto cuda = session.cuda_library(absolute_path(path, folder), true);
    const LibraryTexts texts = session.library_texts(absolute_path(path, folder));
    std::ostream& out = output.stream();
    if (options.format == OutputFormat::text) {
      if (!std::exchange(first, false)) out << '\n';
      write_image(path, *image, symbols, style, out, gpu.get(), cuda.get(), &texts);
    } else {
      write_image_json(path, *image, symbols, options.format == OutputFormat::ndjson, out, gpu.get(), cuda.get(),
                       &texts);
    }
    if (output.reader_is_gone()) break;
  }
  return status;
}

}  // namespace cudald

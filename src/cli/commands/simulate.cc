#include "cli/commands/simulate.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/session.h>
#include <cudald/wheel.h>

#include "base/path.h"
#include "base/usage_error.h"
#include "cli/commands/answers.h"
#include "cli/commands/lock_target.h"
#include "cli/commands/targets.h"
#include "cli/options/exit_status.h"
#include "cli/options/ignored_by.h"
#include "cli/output/documents.h"
#include "cli/output/progress.h"
#include "cli/output/views.h"
#include "cli/settings/cache.h"
#include "cli/settings/file_words.h"
#include "cli/settings/gate.h"
#include "cli/settings/online.h"
#include "cli/settings/open_tree.h"
#include "cli/settings/probe_settings.h"
#include "cli/settings/sandbox.h"
#include "cli/settings/today.h"
#include "os/abilities.h"
#include "report/text/check_summary.h"
#include "report/text/summary.h"

namespace cudald {
namespace {

std::string hint_for(const Error& error, const Options& options) {
  if (error.code == ErrorCode::absent && options.world.sysroot != "/")
    return "; paths are those inside " + options.world.sysroot;
  if (error.code == ErrorCode::unreadable && error.system_error == EACCES)
    return "; run cudald as a user who may read it";
  return "";
}

void complain(const std::string& path, const Error& error, const Options& options, const Host& host) {
  host.complaints << fmt::format("cudald: {}: {}{}\n", escaped(path), escaped(error.message),
                                 escaped(hint_for(error, options)));
}

void complain(const Report& report, const Options& options, const Host& host) {
  const auto& targets = report.resolution.targets;
  for (const Target& target : targets) {
    // What a whole target is refused for, its parts are.
    const auto* whole = target.part_of ? &targets[*target.part_of] : nullptr;
    const bool said = whole != nullptr && whole->unreadable && target.unreadable &&
                      whole->unreadable->message == target.unreadable->message;
    if (target.unreadable && !said) complain(target.given, *target.unreadable, options, host);
  }
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
  if (options.help.likely_command.empty()) return std::nullopt;
  const std::string& first = options.arguments.front();
  const auto& targets = report.resolution.targets;
  const bool is_absent = std::any_of(targets.begin(), targets.end(), [&first](const Target& target) {
    return target.given == first && target.unreadable && target.unreadable->code == ErrorCode::absent;
  });
  if (!is_absent) return std::nullopt;
  return usage_error(fmt::format("`{}` is neither a command nor a file or library here; did you mean `{}`?",
                                 escaped(first), options.help.likely_command));
}

/// What a run of several questions has come to.
struct Progression {
  int status = exit_fine;
  std::optional<Error> mistyped;
  bool first = true;
  std::size_t answers = 0;
};

/// Writes one report, and complains of what cannot be read unless the report itself tells of it.
void tell(const Report& report, const Options& options, const TextStyle& style, const Host& host, Output& output,
          Documents& documents, Progression& run) {
  const auto& format = rule_of(options.output.format);
  if (!format.tells_all && run.first && options.question.message && !options.resolved.reading)
    host.complaints << "cudald: cudald does not recognise this message; here is what the files show\n";
  const bool separate = format.for_people && !run.first && options.command != Command::check && style.verbosity >= 0;
  if (separate) output.stream() << '\n';
  run.first = false;
  if (!format.tells_all) complain(report, options, host);
  const bool nothing_more = !format.tells_all && says_nothing_more(report, options, style);
  if (nothing_more && !options.judgement.allow_incomplete) run.status = std::max(run.status, exit_incomplete);
  run.status = std::max(run.status, documents.tell(report, !nothing_more));
}

/// Tells of one file or wheel; the error of one that cannot be read.
std::optional<Error> show_one(const std::string& given, const std::string& path, Session& session,
                              const Options& options, const TextStyle& style, std::ostream& out, Progression& run) {
  const auto& format = rule_of(options.output.format);
  const auto separate = [&] {
    if (!std::exchange(run.first, false) && format.for_people) out << '\n';
  };
  if (given.ends_with(".whl")) {
    const auto wheel = session.wheel(path);
    if (!wheel) return wheel.error();
    if (!wheel->complete && !options.judgement.allow_incomplete) run.status = exit_incomplete;
    separate();
    write_view(options.output.format, *wheel, style, out);
    if (format.as_they_come) out.flush();
    return std::nullopt;
  }
  const auto file = read_file_words(session, path);
  if (!file) return file.error();
  if (const auto& image = *file->image;
      !image.is_elf() && !image.is_pe() && !image.elf.header.has_magic && !image.has_mz_magic)
    return Error{ErrorCode::malformed, "neither an ELF nor a PE file", given};
  const auto texts = session.library_texts(path);
  if (!texts) return texts.error();
  separate();
  const FileView view{given, *file->image, file->symbols, file->gpu.get(), file->cuda.get(), &*texts};
  write_view(options.output.format, view, style, out);
  return std::nullopt;
}

/// Bytes of the targets that are files.
std::uint64_t size_of_targets(const Report& report, const FileSystem& files) {
  std::uint64_t sum = 0;
  for (const auto& target : report.query.targets)
    if (const auto status = files.status(absolute_path(target, package_folder(report.query))))
      sum += status->kind == FileKind::regular ? status->size : 0;
  return sum;
}

std::optional<Error> write_baseline(const Options& options, const Gate& gate, const Host& host) {
  if (options.judgement.write_baseline.empty()) return std::nullopt;
  const auto file = Output::open(absolute_path(options.judgement.write_baseline, host.environment.cwd));
  std::optional<Error> fault;
  if (file) {
    (*file)->stream() << gate.baseline();
    fault = (*file)->finish();
  } else {
    fault = file.error();
  }
  if (!fault) return std::nullopt;
  return usage_error(fmt::format("cannot write {}: {}", escaped(options.judgement.write_baseline), fault->message));
}

/// Asks about targets in a tree, and writes the answers.
Result<int> answer_targets(const Options& options, const std::vector<Typed>& typed, const FileSystem& files,
                           WheelIndex* index, const TextStyle& style, const Host& host, Output& output) {
  const auto targets = open_directories(typed, files);
  const auto queries = questions_about(targets, options, host.environment);
  const auto disk = make_disk_file_system();
  auto gate = Gate::make(options, *disk, host.environment.cwd, today_of(host.environment));
  if (!gate) return gate.error();
  auto documents = Documents::open(options, style, host, output, queries.size());
  if (!documents) return documents.error();

  ThreadLimit threads(options.run.jobs.value_or(0));
  Progress progress(host.complaints, progress_style(options, host.terminal), work_name(targets.names), queries.size());
  Progression run;
  CheckSummary summary;
  const bool summarised = options.command == Command::check && rule_of(options.output.format).for_people;
  const auto take = [&](Answer answer) {
    auto& report = answer.report;
    run.mistyped = mistyped_command(options, report);
    if (run.mistyped) return false;
    if (rule_of(options.output.format).for_people || host.terminal.output_is_terminal) progress.end();
    if (options.question.verify || options.command == Command::probe) {
      Session session(files, options.resolved.table, &threads);
      probe(report, session, probe_settings(options));
    }
    gate->apply(report, ++run.answers == queries.size() && !options.scan.one_of_many);
    tell(report, options, style, host, output, *documents, run);
    if (summarised) summary.add(report, answer.time.count(), size_of_targets(report, files));
    return !output.reader_is_gone() || !options.output.documents.empty();
  };
  answer_queries(files, options.resolved.table, queries, threads, cache_folder(options, host), index, progress, take);
  if (run.mistyped) {
    documents->discard();
    return std::move(*run.mistyped);
  }
  if (auto error = write_baseline(options, *gate, host)) {
    documents->discard();
    return std::move(*error);
  }
  if (const auto error = documents->finish()) {
    host.complaints << fmt::format("cudald: cannot write {}: {}\n", escaped(error->path), error->message);
    run.status = std::max(run.status, exit_incomplete);
  }
  if (summarised) summary.write_below_answers(style, output.stream());
  if (options.scan.one_of_many && !options.judgement.suppressions.empty()) output.stream() << used_line(gate->used());
  return run.status;
}

}  // namespace

Result<int> simulate(const Options& given, const TextStyle& style, const Host& host, Output& output,
                     const FileSystem* tree) {
  if ((given.question.verify || given.command == Command::probe) && !starts_children())
    return usage_error("cudald for Windows cannot load targets for real yet; `cudald explain` tells what would happen");
  auto options = given;
  auto targets = read_targets(options, host);
  if (!targets) return targets.error();
  hide_homes(options, host, *targets);
  if (tree != nullptr)
    return answer_targets(options, classify_in(*tree, host.environment.cwd, std::move(*targets)), *tree, nullptr, style,
                          host, output);
  const auto whole = whole_target(*targets, options, host);
  if (!whole) return whole.error();
  if (*whole != nullptr) {
    // `cudald venv` asks what `cudald check venv` asks.
    options.command = Command::check;
    if (const auto* lock = std::get_if<LockTarget>(&(*whole)->target))
      return check_lock(*lock, options, style, host, output);
    return check_environment((*whole)->given, std::get<EnvironmentTarget>((*whole)->target), options, style, host,
                             output);
  }
  const bool here = options.world.sysroot == "/";
  const auto opened = open_tree(options, *targets, host);
  if (!opened) return opened.error();
  const auto folder = cache_folder(options, host);
  // Settings of pip are those of this machine, and so is what they lead to.
  auto own = options;
  own.packages.online &= here && options.world.sysroot == "/" && options.command == Command::explain;
  const auto online = Online::open(own, host, **opened);
  if (!online) return online.error();
  if (auto error = own.packages.online ? (*online)->lacks_index() : std::nullopt) return *std::move(error);
  const KeptTree files((*online)->tree(), folder);
  // Paths of --sysroot and of images are those inside, and begin at the root.
  if (!here || options.world.sysroot != "/") *targets = classify_in(files, "/", std::move(*targets));
  auto* index = (*online)->is_on() ? online->get() : nullptr;
  auto status = answer_targets(options, *targets, files, index, style, host, output);
  keep(files, folder);
  (*online)->keep();
  return status;
}

Result<int> show(const Options& given, const TextStyle& style, const Host& host, Output& output) {
  auto options = given;
  auto targets = read_targets(options, host);
  if (!targets) return targets.error();
  const auto opened = open_tree(options, *targets, host);
  if (!opened) return opened.error();
  const auto cache = cache_folder(options, host);
  const KeptTree files(**opened, cache);

  Session session(files, options.resolved.table);
  const std::string folder = options.world.sysroot == "/" ? host.environment.cwd : "/";
  Progression run;
  const bool array = rule_of(options.output.format).one_document && targets->size() > 1;
  std::string_view before = "[\n";
  for (const auto& [path, target] : *targets) {
    std::ostringstream one;
    const auto error =
        show_one(path, absolute_path(path, folder), session, options, style, array ? one : output.stream(), run);
    if (array && !error) output.stream() << std::exchange(before, ",\n") << one.str();
    if (error) {
      complain(path, *error, options, host);
      if (!options.judgement.allow_incomplete) run.status = exit_incomplete;
    } else if (output.reader_is_gone()) {
      break;
    }
  }
  if (array) output.stream() << (before.front() == '[' ? "[]\n" : "]\n");
  keep(files, cache);
  return run.status;
}

}  // namespace cudald

#include <cudald/probe.h>
#include <cudald/report.h>
#include <cudald/session.h>

#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "os/child_process.h"
#include "probe/compare.h"
#include "probe/import_script.h"
#include "probe/judge_probe.h"
#include "probe/plan.h"
#include "probe/records.h"

namespace cudald {
namespace {

constexpr std::size_t most_shown_output = 2000;

Command command_in(const Environment& environment, std::vector<std::string> words) {
  Command command{std::move(words), environment.variables, environment.cwd};
  // --preload goes before the variable's own.
  std::string preload;
  for (const auto& file : environment.preload) preload += (preload.empty() ? "" : ":") + file;
  auto& variable = command.environment["LD_PRELOAD"];
  if (!preload.empty()) variable = variable.empty() ? preload : preload + ":" + variable;
  if (variable.empty()) command.environment.erase("LD_PRELOAD");
  return command;
}

std::vector<std::string> paths_of(const std::vector<MappedFile>& files) {
  std::vector<std::string> paths;
  for (const auto& file : files) paths.push_back(file.path);
  return paths;
}

ProbeEnd probe_end(ProcessEnd end) {
  switch (end) {
    case ProcessEnd::exited: return ProbeEnd::exited;
    case ProcessEnd::crashed: return ProbeEnd::crashed;
    case ProcessEnd::timed_out: return ProbeEnd::timed_out;
    case ProcessEnd::not_started: break;
  }
  return ProbeEnd::not_started;
}

void take_end(const Ended& ended, bool done, ProbeRun& run) {
  run.end = done && ended.end == ProcessEnd::exited && ended.status == 0 ? ProbeEnd::finished : probe_end(ended.end);
  run.status = ended.status;
  run.seconds = ended.seconds;
  run.output_bytes = ended.output_bytes;
  run.output = (ended.output + ended.complaints).substr(0, most_shown_output);
}

void take_records(const Ended& ended, const Records& records, ProbeRun& run) {
  take_end(ended, records.done, run);
  run.step = records.step.empty() ? "the program is started" : records.step;
  run.targets = records.targets;
  run.mapped_all = records.mapped_all;
  run.mapped = paths_of(records.mapped);
  for (const auto& file : records.later)
    if (std::none_of(records.mapped.begin(), records.mapped.end(),
                     [&](const MappedFile& known) { return known.id == file.id; }))
      run.mapped_later.push_back(file.path);
  run.checks = records.checks;
}

void compare_files(const std::vector<MappedFile>& predicted, const std::vector<MappedFile>& mapped, ProbeRun& run) {
  run.predicted = predicted.size();
  if (!run.mapped_all) return;
  auto differences = differences_of_files(predicted, mapped);
  if (differences.empty()) {
    differences = differences_of_order(predicted, mapped);
    run.only_order = !differences.empty() && run.differences.empty();
  }
  run.differences.insert(run.differences.end(), differences.begin(), differences.end());
}

void compare_target(const std::string& predicted, const ProbedTarget& real, bool exact_words, ProbeRun& run) {
  for (auto& difference : differences_of_target(predicted, real, exact_words))
    run.differences.push_back(std::move(difference));
}

/// The question that the child answers: the same process, started with the child in place of the first target.
Query question_to_child(const Query& asked, const std::string& child, const std::vector<DlopenRequest>& opened) {
  Query query;
  query.targets = {child};
  query.dlopens = opened;
  query.environment = asked.environment;
  query.limits = asked.limits;
  return query;
}

void open_files(Report& report, const std::vector<DlopenRequest>& opened, const std::vector<ProbedLibrary>& libraries,
                Session& session, const ProbeSettings& settings) {
  const auto predicted = session.explain(question_to_child(report.query, settings.child, opened));
  const auto targets = own_targets(predicted);
  if (!targets.front()->error.empty()) {
    report.probe->not_run.push_back("with this environment not even the program that would load it starts: " +
                                    targets.front()->error);
    return;
  }
  ProbeRun run;
  run.way = ProbeWay::open;
  std::vector<std::string> words{settings.child, "{}"};
  for (const auto& request : opened) {
    const std::string letters = fmt::format("{}{}{}", request.traits.bind_now ? "n" : "-",
                                            request.traits.global ? "g" : "", request.traits.deepbind ? "d" : "");
    words.insert(words.end(), {"open", letters, request.name});
  }
  for (const auto& library : libraries) words.insert(words.end(), {library.role, library.path});
  const auto ended = run_child(command_in(report.query.environment, words), settings.timeout);
  const auto records = read_records(ended.records);
  take_records(ended, records, run);
  for (std::size_t i = 0; i < std::min(run.targets.size(), opened.size()); ++i)
    if (i + 1 < targets.size()) compare_target(targets[i + 1]->error, run.targets[i], true, run);
  compare_files(predicted_files(predicted.resolution), records.mapped, run);
  // A target that ended the process has no record.
  for (std::size_t i = run.targets.size(); i < opened.size(); ++i) run.targets.push_back({opened[i].name, false, ""});
  report.probe->runs.push_back(std::move(run));
}

ProbeRun list_program(const Report& report, const ProbePlan& plan, const ProbeSettings& settings) {
  ProbeRun run;
  run.way = ProbeWay::list;
  run.step = fmt::format("{} lists what {} loads", plan.interpreter, plan.program);
  const auto ended =
      run_child(command_in(report.query.environment, {plan.interpreter, "--list", plan.program}), settings.timeout);
  take_end(ended, true, run);
  ProbedTarget target{plan.program, run.end == ProbeEnd::finished, ""};
  std::vector<MappedFile> mapped;
  const auto add = [&mapped, &report](const std::string& name) {
    std::error_code fault;
    const auto real = std::filesystem::canonical(absolute_path(name, report.query.environment.cwd), fault);
    if (!fault) mapped.push_back({real.string(), {}});
  };
  add(plan.program);
  for (const auto& name : read_list(ended.output)) add(name);
  if (!target.loaded && ended.end == ProcessEnd::exited) {
    target.error = read_refusal(ended.complaints);
    run.end = ProbeEnd::finished;
  }
  run.mapped_all = target.loaded;
  run.mapped = paths_of(mapped);
  run.output.clear();
  run.output_bytes = 0;
  // The list has no numbers of files: paths are compared.
  auto predicted = predicted_files(report.resolution);
  const auto& dlopened = report.resolution.targets;
  std::erase_if(predicted, [&](const MappedFile& file) {
    const auto object = std::find_if(report.resolution.objects.begin(), report.resolution.objects.end(),
                                     [&file](const Object& each) { return each.path == file.path; });
    return object != report.resolution.objects.end() && dlopened[object->target].kind != TargetKind::start;
  });
  for (auto& file : predicted) file.id = {};
  compare_target(report.resolution.targets.front().error, target, true, run);
  compare_files(predicted, mapped, run);
  run.targets.push_back(std::move(target));
  return run;
}

/// Whether a Python that does nothing but import the modules ends well.
bool imports_plainly(const Report& report, const ProbePlan& plan, const ProbeSettings& settings) {
  std::string code;
  for (const auto& module : plan.modules) code += "import " + module + "\n";
  const auto ended =
      run_child(command_in(report.query.environment, {plan.program, "-B", "-c", code}), settings.timeout);
  return ended.end == ProcessEnd::exited && ended.status == 0;
}

ProbeRun import_modules(const Report& report, const ProbePlan& plan, const ProbeSettings& settings) {
  ProbeRun run;
  run.way = ProbeWay::import;
  // Without -B, Python would write what it compiles beside the modules.
  std::vector<std::string> words{plan.program, "-B", "-c", std::string(import_script), "{}"};
  words.insert(words.end(), plan.modules.begin(), plan.modules.end());
  const auto ended = run_child(command_in(report.query.environment, words), settings.timeout);
  const auto records = read_records(ended.records);
  take_records(ended, records, run);
  if (run.end != ProbeEnd::finished && run.end != ProbeEnd::not_started)
    run.plain_works = imports_plainly(report, plan, settings);
  std::size_t number = 0;
  for (const auto* target : own_targets(report)) {
    if (target->kind != TargetKind::import || number >= run.targets.size()) continue;
    compare_target(target->error, run.targets[number++], false, run);
  }
  compare_files(predicted_files(report.resolution), records.mapped, run);
  return run;
}

}  // namespace

std::string_view to_string(ProbeWay way) {
  switch (way) {
    case ProbeWay::open: return "open";
    case ProbeWay::list: return "list";
    case ProbeWay::import: return "import";
  }
  return "";
}

std::string_view to_string(ProbeEnd end) {
  switch (end) {
    case ProbeEnd::finished: return "finished";
    case ProbeEnd::exited: return "exited";
    case ProbeEnd::crashed: return "crashed";
    case ProbeEnd::timed_out: return "timed-out";
    case ProbeEnd::not_started: return "not-started";
  }
  return "";
}

std::string_view to_string(CheckResult result) {
  switch (result) {
    case CheckResult::ok: return "ok";
    case CheckResult::failed: return "failed";
    case CheckResult::not_run: return "not-run";
  }
  return "";
}

void probe(Report& report, Session& session, const ProbeSettings& settings) {
  report.probe.emplace();
  auto& result = *report.probe;
  const auto child = session.image(settings.child);
  if (const auto reason = reason_not_to_run(report)) {
    result.not_run.push_back(*reason);
  } else if (!child) {
    result.not_run.push_back(fmt::format("the program {}, which belongs to cudald, cannot be read: {}", settings.child,
                                         child.error().message));
  } else if (machine_of(**child) != report.resolution.machine ||
             format_of(**child) != format_of(*report.resolution.objects.front().image)) {
    result.not_run.push_back("it is made for another kind of machine than cudald itself");
  } else {
    const auto plan = make_plan(report);
    result.not_run = plan.left_out;
    const auto libraries = cuda_libraries(report.resolution);
    if (plan.way == ProbeWay::open) {
      if (!plan.opened.empty()) open_files(report, plan.opened, libraries, session, settings);
    } else {
      result.runs.push_back(plan.way == ProbeWay::list ? list_program(report, plan, settings)
                                                       : import_modules(report, plan, settings));
      // The CUDA among it, in a process of its own: a program's main is not run, and an import keeps its libraries for
      // itself.
      std::vector<DlopenRequest> opened;
      for (const auto& library : libraries) opened.push_back({.name = library.path, .traits = {.bind_now = true}});
      if (!opened.empty()) open_files(report, opened, libraries, session, settings);
    }
  }
  judge_probe(report);
}

}  // namespace cudald

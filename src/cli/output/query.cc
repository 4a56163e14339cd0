#include "cli/output/query.h"

#include <algorithm>

#include <cudald/report.h>

#include "base/path.h"
#include "check/findings/unfollowed.h"
#include "cli/options/exit_status.h"

namespace cudald {
namespace {

Environment make_environment(const Options& options, const Environment& host) {
  const bool other_tree = options.world.sysroot != "/";
  Environment environment;
  if (!options.process.clear_environment && !other_tree) environment.variables = host.variables;
  for (const auto& [name, value] : options.process.variables)
    environment.variables[name] = environment.stated[name] = value;
  environment.cwd = other_tree ? "/" : host.cwd;
  if (options.process.cwd) environment.cwd = absolute_path(*options.process.cwd, environment.cwd);
  environment.preload = options.process.preload;
  environment.libc = options.world.libc;
  environment.machine = options.world.machine;
  environment.cpu = options.world.cpu_level ? x86_64_cpu(*options.world.cpu_level) : host.cpu;
  environment.kernel = host.kernel;
  environment.cpu_stated = options.world.cpu_level.has_value();
  environment.secure = options.world.secure;
  environment.user = host.user;
  environment.user_name = options.world.user;
  environment.driver = options.world.driver;
  environment.dll_path = options.process.dll_path;
  environment.dll_directories = options.process.dll_directories;
  environment.default_dll_directories = options.process.default_dll_directories;
  return environment;
}

/// Whether nothing is shown but the verdict.
bool verdict_only(const Options& options) {
  return options.output.verbosity < 0 && rule_of(options.output.format).for_people && options.output.documents.empty();
}

/// Whether what is only noted makes no difference to what is shown, nor to the exit status.
bool notes_unseen(const Options& options) {
  return verdict_only(options) && options.question.library.empty() && options.judgement.fail_on != Level::note;
}

/// Where nothing of what they tell would be seen, constants are not read. Who pastes a message asks for its speaker,
/// who may lie in a wheel as packed as any: then that takes as long as unpacking its libraries once more.
ConstantScope usual_constants(const Options& options) {
  const bool told =
      options.command == Command::explain || options.command == Command::check || options.command == Command::why;
  if (!told || notes_unseen(options)) return ConstantScope::none;
  return options.resolved.reading ? ConstantScope::all : ConstantScope::files;
}

}  // namespace

std::vector<Query> make_queries(const Options& options, const std::vector<std::string>& targets,
                                const Environment& host) {
  Query query;
  query.dlopens = options.question.dlopens;
  query.fixes = !verdict_only(options);
  query.notes = !notes_unseen(options);
  query.packages = options.packages.given;
  query.limits = options.run.limits;
  query.world = options.world.kind;
  query.extras = {options.packages.extras.begin(), options.packages.extras.end()};
  query.environment = make_environment(options, host);
  query.sysroot = options.world.sysroot;
  if (options.world.prefix) query.prefix = absolute_path(*options.world.prefix, query.environment.cwd);
  query.python = options.world.python;
  query.message = options.resolved.reading;
  query.windows = options.world.windows;
  query.windows_host = options.resolved.windows_host;
  query.linux_host = options.resolved.linux_host;
  // A tree and a chain are about files: their symbols need not be bound.
  const bool files_only = options.command == Command::tree || options.command == Command::why;
  query.symbols = files_only ? SymbolCheck::none : options.question.symbols;
  query.constants = options.question.constants.value_or(usual_constants(options));
  query.keep_bindings = options.question.bindings;
  query.gpu_code = options.question.gpu_code;
  query.gpus = options.world.gpus;
  query.machine_gpus = options.world.machine_gpus;
  query.require_gpu = options.judgement.require_gpu;
  query.policy = options.judgement.policy;

  if (!options.question.separately) {
    query.targets = targets;
    return {query};
  }
  std::vector<Query> queries(targets.size(), query);
  for (std::size_t i = 0; i < targets.size(); ++i) queries[i].targets = {targets[i]};
  return queries;
}

int exit_status(const Options& options, const Report& report) {
  if (report.verdict == Verdict::unknown && !options.judgement.allow_incomplete) return exit_incomplete;
  if (options.judgement.strict && !certainly_unfollowed(report).empty()) return exit_incomplete;
  // Levels are ordered from error to note.
  const bool failed = options.judgement.fail_on &&
                      std::any_of(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.level <= *options.judgement.fail_on; });
  return failed ? exit_findings : exit_fine;
}

}  // namespace cudald

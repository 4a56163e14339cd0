#include "cli/output/query.h"

#include <algorithm>

#include <cudald/report.h>

#include "base/path.h"
#include "check/findings/unfollowed.h"
#include "cli/options/exit_status.h"

namespace cudald {
namespace {

Environment make_environment(const Options& options, const Environment& host) {
  const bool other_tree = options.sysroot != "/";
  Environment environment;
  if (!options.clear_environment && !other_tree) environment.variables = host.variables;
  for (const auto& [name, value] : options.variables) environment.variables[name] = environment.stated[name] = value;
  environment.cwd = other_tree ? "/" : host.cwd;
  if (options.cwd) environment.cwd = absolute_path(*options.cwd, environment.cwd);
  environment.preload = options.preload;
  environment.libc = options.libc;
  environment.machine = options.machine;
  environment.cpu = options.cpu_level ? x86_64_cpu(*options.cpu_level) : host.cpu;
  environment.kernel = host.kernel;
  environment.cpu_stated = options.cpu_level.has_value();
  environment.secure = options.secure;
  environment.user = host.user;
  environment.user_name = options.user;
  environment.driver = options.driver;
  environment.dll_path = options.dll_path;
  environment.dll_directories = options.dll_directories;
  environment.default_dll_directories = options.default_dll_directories;
  return environment;
}

/// Whether nothing is shown but the verdict.
bool verdict_only(const Options& options) {
  return options.verbosity < 0 && rule_of(options.format).for_people && options.documents.empty();
}

/// Whether what is only noted makes no difference to what is shown, nor to the exit status.
bool notes_unseen(const Options& options) {
  return verdict_only(options) && options.library.empty() && options.fail_on != Level::note;
}

/// Where nothing of what they tell would be seen, constants are not read. Who pastes a message asks for its speaker,
/// who may lie in a wheel as packed as any: then that takes as long as unpacking its libraries once more.
ConstantScope usual_constants(const Options& options) {
  const bool told =
      options.command == Command::explain || options.command == Command::check || options.command == Command::why;
  if (!told || notes_unseen(options)) return ConstantScope::none;
  return options.reading ? ConstantScope::all : ConstantScope::files;
}

}  // namespace

std::vector<Query> make_queries(const Options& options, const std::vector<std::string>& targets,
                                const Environment& host) {
  Query query;
  query.dlopens = options.dlopens;
  query.fixes = !verdict_only(options);
  query.notes = !notes_unseen(options);
  query.packages = options.packages;
  query.limits = options.limits;
  query.world = options.world;
  query.extras = {options.extras.begin(), options.extras.end()};
  query.environment = make_environment(options, host);
  query.sysroot = options.sysroot;
  if (options.prefix) query.prefix = absolute_path(*options.prefix, query.environment.cwd);
  query.python = options.python;
  query.message = options.reading;
  query.windows = options.windows;
  query.windows_host = options.windows_host;
  query.linux_host = options.linux_host;
  // A tree and a chain are about files: their symbols need not be bound.
  const bool files_only = options.command == Command::tree || options.command == Command::why;
  query.symbols = files_only ? SymbolCheck::none : options.symbols;
  query.constants = options.constants.value_or(usual_constants(options));
  query.keep_bindings = options.bindings;
  query.gpu_code = options.gpu_code;
  query.gpus = options.gpus;
  query.machine_gpus = options.machine_gpus;
  query.require_gpu = options.require_gpu;
  query.policy = options.policy;

  if (!options.separately) {
    query.targets = targets;
    return {query};
  }
  std::vector<Query> queries(targets.size(), query);
  for (std::size_t i = 0; i < targets.size(); ++i) queries[i].targets = {targets[i]};
  return queries;
}

int exit_status(const Options& options, const Report& report) {
  if (report.verdict == Verdict::unknown && !options.allow_incomplete) return exit_incomplete;
  if (options.strict && !certainly_unfollowed(report).empty()) return exit_incomplete;
  // Levels are ordered from error to note.
  const bool failed =
      options.fail_on && std::any_of(report.findings.begin(), report.findings.end(),
                                     [&](const Finding& finding) { return finding.level <= *options.fail_on; });
  return failed ? exit_findings : exit_fine;
}

}  // namespace cudald

#include "cli/commands/lock_target.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include <cudald/deployment.h>
#include <cudald/format.h>
#include <cudald/linux_host_file.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/usage_error.h"
#include "check/packages/deployment.h"
#include "cli/commands/answers.h"
#include "cli/options/exit_status.h"
#include "cli/output/documents.h"
#include "cli/output/progress.h"
#include "cli/output/query.h"
#include "cli/output/terminal.h"
#include "cli/settings/cache.h"
#include "cli/settings/gate.h"
#include "cli/settings/online.h"
#include "cli/settings/today.h"
#include "machine/abi.h"
#include "package/version.h"
#include "session/deployment.h"
#include "session/installed_deployment.h"
#include "tree/text_file.h"

namespace cudald {
namespace {

constexpr std::size_t most_lock = std::size_t{64} << 20;

}  // namespace

WheelEnvironment wheels_for(const Options& options) {
  WheelEnvironment wheels;
  wheels.python_version = options.world.python;
  wheels.machine = machine_name(options.world.machine.value_or(*machine_number("x86_64")));
  if (options.world.windows.value_or(false))
    wheels.windows_tag = wheels.machine == "i386" ? "win32" : wheels.machine == "aarch64" ? "win_arm64" : "win_amd64";
  auto libc = options.world.libc;
  if (!libc && options.resolved.linux_host)
    if (const auto described = parse_libc(options.resolved.linux_host->libc)) libc = *described;
  if (libc && libc->kind == LibcKind::musl) wheels.musl = libc;
  if (libc && libc->kind == LibcKind::glibc) wheels.glibc = libc;
  if (options.resolved.linux_host && !options.world.machine) {
    const auto& platform = options.resolved.linux_host->platform;
    if (const auto dash = platform.find('-'); dash != std::string::npos) wheels.machine = platform.substr(dash + 1);
  }
  return wheels;
}

namespace {

/// Every wheel that was read is held against the hashes that the lock states for it.
std::optional<Error> verify_hashes(const Deployment& deployment, const LockFile& lock, const FileSystem& files) {
  for (const auto& package : deployment.packages) {
    if (package.state != LockedState::read) continue;
    std::vector<std::string> hashes;
    if (!package.sha256.empty()) hashes.push_back(package.sha256);
    for (const auto& locked : lock.packages)
      if (locked.name == package.name && is_pinned(package.version, locked.version))
        hashes.insert(hashes.end(), locked.hashes.begin(), locked.hashes.end());
    if (hashes.empty())
      return usage_error(fmt::format("--verify-hashes: the lock states no SHA-256 of {}", escaped(package.file)));
    if (const auto error = verify_hash(files, package.archive, hashes))
      return usage_error(fmt::format("--verify-hashes: {}: {}", escaped(package.file), escaped(error->message)));
  }
  return std::nullopt;
}

Result<Deployment> plan(const LockTarget& target, const Options& options, const Host& host, Online& online) {
  const FileSystem& files = online.tree();
  const auto read_named = [&](const std::string& path) {
    return read_file(files, absolute_path(path, target.directory), most_lock);
  };
  const auto fault = [&](const Error& error) {
    return usage_error(fmt::format("{}: {}", escaped(target.given), escaped(error.message)));
  };
  auto lock = read_lock(target.kind, target.text, read_named);
  if (!lock) return fault(lock.error());
  if (auto error = online.name_wheels(*lock)) return std::move(*error);
  DeploymentWish wish;
  wish.wheels = wheels_for(options);
  wish.extras = {options.packages.extras.begin(), options.packages.extras.end()};
  wish.groups = {options.packages.groups.begin(), options.packages.groups.end()};
  wish.lock_folder = target.directory;
  wish.jobs = options.run.jobs.value_or(0);
  for (const auto& folder : options.packages.wheels) {
    wish.folders.push_back(normal_path(absolute_path(folder, host.environment.cwd)));
    if (!is_folder(files, wish.folders.back()))
      return usage_error(fmt::format("--wheels {}: no such directory", escaped(folder)));
  }
  if (online.is_on()) {
    wish.reach = [&online](const LockedFile& file) { return online.reach(file); };
    wish.reached = [&online] { online.tree().open_all(); };
    wish.metadata = [&online](const LockedFile& file) { return online.metadata(file); };
  }
  auto deployment = plan_deployment(*lock, wish, files, options.resolved.table);
  if (!deployment) return fault(deployment.error());
  if (options.packages.verify_hashes)
    if (auto error = verify_hashes(*deployment, *lock, files)) return std::move(*error);
  if (deployment->packages.empty())
    return usage_error(fmt::format("{}: it pins no package for Python {} on {}", escaped(target.given),
                                   deployment->python, deployment->platform));
  deployment->given = target.given == "-" ? "standard input" : target.given;
  return deployment;
}

}  // namespace

namespace {

/// Answers the questions about a deployment, and writes what they come to. `answered` is called between.
Result<int> judge_all(Deployment& deployment, const std::vector<Query>& queries, const FileSystem& files,
                      const Options& options, const TextStyle& style, const Host& host, Output& output,
                      const std::function<void()>& answered) {
  auto gate = Gate::make(options, files, host.environment.cwd, today_of(host.environment));
  if (!gate) return gate.error();
  auto documents = Documents::open(options, style, host, output);
  if (!documents) return documents.error();
  deployment.together.query.targets = {deployment.given};
  deployment.together.knowledge = deployment.knowledge;
  deployment.together.resolution.windows = deployment.windows;
  ThreadLimit threads(options.run.jobs.value_or(0));
  Progress progress(host.complaints, progress_style(options, host.terminal), deployment.given, queries.size());
  std::vector<Report> reports;
  answer_queries(files, options.resolved.table, queries, threads, cache_folder(options, host), nullptr, progress,
                 [&](Answer answer) {
                   reports.push_back(std::move(answer.report));
                   return true;
                 });
  progress.end();
  if (!reports.empty()) {
    deployment.together = std::move(reports.back());
    reports.pop_back();
    deployment.alone = std::move(reports);
  }
  answered();
  judge_deployment(deployment);
  for (auto& report : deployment.alone) gate->apply(report, false);
  gate->apply(deployment.together, true);
  int status = documents->tell(deployment);
  if (const auto error = documents->finish()) {
    host.complaints << fmt::format("cudald: cannot write {}: {}\n", escaped(error->path), error->message);
    status = std::max(status, exit_incomplete);
  }
  return status;
}

/// What all questions have in common.
Query common_query(const Options& options, const Host& host) {
  auto as_one = options;
  as_one.question.separately = false;
  return make_queries(as_one, {}, host.environment).front();
}

}  // namespace

Result<int> check_lock(const LockTarget& target, const Options& options, const TextStyle& style, const Host& host,
                       Output& output) {
  const auto on_disk = make_disk_file_system();
  const auto folder = cache_folder(options, host);
  const KeptTree local(*on_disk, folder);
  auto online = Online::open(options, host, local);
  if (!online) return online.error();
  const FileSystem* files = &(*online)->tree();
  auto deployment = plan(target, options, host, **online);
  if (!deployment) return deployment.error();
  const auto like = common_query(options, host);
  deployment->together.query = like;
  return judge_all(*deployment, deployment_queries(*deployment, like), *files, options, style, host, output, [&] {
    (*online)->keep();
    keep(local, folder);
    if (const auto cost = (*online)->tree().cost(); cost.requests > 0)
      deployment->notes.push_back(
          fmt::format("read from servers: {} kB in {}", cost.bytes / 1000, counted(cost.requests, "request")));
  });
}

Result<int> check_environment(const std::string& given, const EnvironmentTarget& environment, const Options& options,
                              const TextStyle& style, const Host& host, Output& output) {
  const auto files = make_disk_file_system();
  const auto& prefix = environment.prefix;
  auto deployment = plan_installed(prefix, *files, options.resolved.table);
  if (!deployment) return usage_error(fmt::format("{}: no Python is found in this environment", escaped(prefix)));
  if (deployment->asked.empty())
    return usage_error(fmt::format("{}: no package is installed in this environment", escaped(prefix)));
  deployment->given = given;
  const auto like = common_query(options, host);
  deployment->together.query = like;
  return judge_all(*deployment, installed_queries(*deployment, prefix, like), *files, options, style, host, output,
                   [] {});
}

}  // namespace cudald

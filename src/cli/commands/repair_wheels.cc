#include "cli/commands/repair_wheels.h"

#include <set>

#include <fmt/format.h>

#include "base/path.h"
#include "base/usage_error.h"
#include "cli/commands/repair_results.h"
#include "cli/output/query.h"
#include "os/own_file.h"
#include "repair/repair_wheel.h"

namespace cudald {
namespace {

bool is_same_file(const FileSystem& files, const std::string& a, const std::string& b) {
  const auto one = files.real_path(a), other = files.real_path(b);
  return one && other && *one == *other;
}

/// Where the new wheel goes, or why it cannot go there.
Result<std::string> destination(const RepairedWheel& wheel, const Options& options, const FileSystem& files,
                                const std::string& cwd, std::set<std::string>& results) {
  const auto path = absolute_path(path_in(options.output.wheel_dir, wheel.name), cwd);
  const auto refused = [](std::string message) { return Error{ErrorCode::usage, std::move(message), ""}; };
  for (const auto& given : options.arguments)
    if (is_same_file(files, absolute_path(given, cwd), path))
      return refused("the new wheel would replace one that is repaired; name another directory with -w");
  if (!results.insert(normal_path(path)).second) return refused("another wheel is repaired under the same name");
  return path;
}

}  // namespace

Result<int> repair_wheels(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  const auto files = make_disk_file_system();
  const auto& cwd = host.environment.cwd;
  if (!options.output.dry_run && !make_directory(absolute_path(options.output.wheel_dir, cwd)))
    return usage_error(fmt::format("-w {}: the directory cannot be made", escaped(options.output.wheel_dir)));
  const auto query = make_queries(options, {}, host.environment).front();
  std::vector<RepairedTarget> targets;
  std::set<std::string> results;
  for (const auto& given : options.arguments) {
    auto wheel = repair_wheel(given, query, *files, options.resolved.table);
    auto& target = wheel.target;
    if (!target.error && target.refusal.empty()) {
      const auto path = destination(wheel, options, *files, cwd, results);
      if (path) target.made = path_in(options.output.wheel_dir, wheel.name);
      target.error = !path ? path.error() : options.output.dry_run ? std::nullopt : write_copy(*wheel.file, *path);
      target.is_written = !target.error && !options.output.dry_run;
    }
    targets.push_back(std::move(target));
  }
  return tell_repaired(targets, options, style, host, output);
}

}  // namespace cudald

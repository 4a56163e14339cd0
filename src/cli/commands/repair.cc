#include "cli/commands/repair.h"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/path.h"
#include "base/usage_error.h"
#include "cli/commands/repair_results.h"
#include "cli/commands/repair_wheels.h"
#include "cli/output/query.h"
#include "os/own_file.h"
#include "package/package_tree.h"
#include "repair/repair_files.h"
#include "repair/repaired_target.h"
#include "rewrite/new_file.h"

namespace cudald {
namespace {

/// Where each result goes: NEW, or a name in the directory. Error{usage} if that would replace what is read.
Result<std::vector<std::string>> destinations(const Options& options, const FileSystem& files, const std::string& cwd) {
  const auto& given = options.arguments;
  for (const auto& name : given)
    if (is_package_name(name))
      return usage_error(fmt::format(
          "{0} is a package of conda; `cudald explain {0}` prints what its author has to change", escaped(name)));
  const auto to = absolute_path(options.output.destination, cwd);
  const bool is_directory = is_folder(files, to);
  if (given.size() > 1 && !is_directory)
    return usage_error(
        fmt::format("-o {}: no such directory; several files need one", escaped(options.output.destination)));
  std::vector<std::string> made;
  std::set<std::string> sources, results;
  for (const auto& name : given)
    if (const auto real = files.real_path(absolute_path(name, cwd))) sources.insert(*real);
  for (const auto& name : given) {
    made.push_back(is_directory ? path_in(options.output.destination, file_name(name)) : options.output.destination);
    const auto path = absolute_path(made.back(), cwd);
    const auto real = files.real_path(path);
    if (real && sources.contains(*real))
      return usage_error(fmt::format("-o {} is the file itself; `repair` writes a new one", escaped(made.back())));
    if (!results.insert(normal_path(path)).second)
      return usage_error(fmt::format("two results would be {}", escaped(made.back())));
  }
  return made;
}

/// Writes a new file with the permissions of the old one, but without set-ID bits.
std::optional<Error> write_file(const RepairedFile& repaired, const FileSystem& files, const std::string& path) {
  auto source = files.open(repaired.path);
  if (!source) return source.error();
  const std::shared_ptr<const File> old(std::move(*source));
  auto pieces = repaired.edited.pieces;
  if (pieces.empty()) pieces.push_back({old->status().size, 0, ""});
  if (auto error = write_copy(NewFile(old, std::move(pieces)), path)) return error;
  copy_permissions(repaired.path, path);
  return std::nullopt;
}

/// Whether all may be written. Each was judged with the others as they would be, so it is all of them or none.
bool all_good(std::vector<RepairedTarget>& targets) {
  const auto is_bad = [](const RepairedTarget& target) { return target.error || !target.refusal.empty(); };
  if (std::none_of(targets.begin(), targets.end(), is_bad)) return true;
  for (auto& target : targets)
    if (!is_bad(target)) target.refusal = "another file cannot be repaired";
  return false;
}

}  // namespace

Result<int> repair(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  if (!options.output.wheel_dir.empty()) return repair_wheels(options, style, host, output);
  const auto files = make_disk_file_system();
  const auto& cwd = host.environment.cwd;
  const auto made = destinations(options, *files, cwd);
  if (!made) return made.error();
  const auto query = make_queries(options, {}, host.environment).front();
  const auto repaired = repair_files(options.arguments, query, *files, options.resolved.table);
  std::vector<RepairedTarget> targets;
  for (const auto& file : repaired) targets.push_back(described(file));
  if (all_good(targets))
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets[i].made = (*made)[i];
      if (options.output.dry_run) continue;
      targets[i].error = write_file(repaired[i], *files, absolute_path((*made)[i], cwd));
      targets[i].is_written = !targets[i].error;
      if (auto& error = targets[i].error)
        error->message = fmt::format("cannot write {}: {}", (*made)[i], error->message);
    }
  return tell_repaired(targets, options, style, host, output);
}

}  // namespace cudald

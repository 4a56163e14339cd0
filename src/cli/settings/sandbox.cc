// What each question needs of the system, as a sandbox. What is written is named on the command line, so the process
// can give all else away before it reads the first byte of a target (os/sandbox.h).
#include "cli/settings/sandbox.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include <cudald/file_system.h>

#include "base/path.h"
#include "base/usage_error.h"
#include "cli/settings/cache.h"
#include "os/sandbox.h"
#include "os/scratch_file.h"

namespace cudald {
namespace {

bool runs_the_target(const Options& options) { return options.command == Command::probe || options.question.verify; }

bool is_wanted(const Options& options, const Host& host) {
  return host.whole_process && options.run.sandbox != SandboxWish::off && !runs_the_target(options);
}

std::string directory_of(const std::string& path, const Host& host) {
  std::error_code not_there;
  const auto whole = absolute_path(path, host.environment.cwd);
  const auto real = std::filesystem::canonical(whole, not_there).string();
  return std::string(parent_path(not_there ? whole : real));
}

/// The directory, or else the one above it that is there: a file or directory is made in it.
std::string directory_that_is_there(std::string path) {
  std::error_code fault;
  while (path.size() > 1 && !std::filesystem::is_directory(path, fault)) path = std::string(parent_path(path));
  return path.empty() ? "/" : path;
}

/// The cache is made at once, as only a directory that is there can be left writable.
void add_cache(Sandbox& sandbox, const Options& options, const Host& host) {
  const auto folder = cache_folder(options, host);
  if (!folder.empty() && make_cache(folder)) sandbox.writable.push_back(folder);
}

Sandbox sandbox_of(const Options& options, const Host& host) {
  Sandbox sandbox;
  sandbox.network = options.packages.online;
  sandbox.programs = options.packages.online;  // the keyring
  sandbox.scratch = {scratch_directory()};
  add_cache(sandbox, options, host);
  // The answer's file is open already.
  if (!options.output.path.empty()) {
    auto& where = options.command == Command::merge ? sandbox.writable : sandbox.nameable;
    where.push_back(directory_of(options.output.path, host));
  }
  for (const auto* path : {&options.judgement.write_baseline, &options.output.save})
    if (!path->empty()) sandbox.writable.push_back(directory_of(*path, host));
  for (const auto& wish : options.output.documents) sandbox.writable.push_back(directory_of(wish.path, host));
  for (const auto* path : {&options.scan.state, &options.output.destination, &options.output.wheel_dir})
    if (!path->empty()) sandbox.writable.push_back(directory_that_is_there(absolute_path(*path, host.environment.cwd)));
  return sandbox;
}

/// All places that the question names: its targets and options, the variables, the current directory.
std::vector<std::string> named_places(const Options& options, const Host& host) {
  std::vector<std::string> places{host.environment.cwd, options.world.sysroot, options.judgement.baseline,
                                  options.world.host, options.world.prefix.value_or("")};
  for (const auto* names :
       {&options.arguments, &options.packages.given, &options.packages.wheels, &options.process.preload,
        &options.world.knowledge, &options.run.config, &options.process.dll_path, &options.process.dll_directories})
    places.insert(places.end(), names->begin(), names->end());
  for (const auto& [name, value] : host.environment.variables)
    for (const auto part : split(value, ":;")) places.emplace_back(part);
  std::vector<std::string> real;
  for (const auto& place : places) {
    std::error_code not_there;
    const auto path = std::filesystem::canonical(absolute_path(place, host.environment.cwd), not_there);
    if (!place.empty() && !not_there) real.push_back(path.string());
  }
  return real;
}

/// Those of other users, as far as the system keeps them in the usual places.
std::vector<std::string> other_homes(const std::string& own) {
  std::vector<std::string> homes{"/root"};
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator("/home", fault)) homes.push_back(entry.path().string());
  std::erase_if(homes, [&](const std::string& home) {
    return home == own || std::filesystem::is_symlink(home, fault) || !std::filesystem::is_directory(home, fault);
  });
  return homes;
}

}  // namespace

std::optional<Error> enter_sandbox(const Options& options, const Host& host) {
  if (!is_wanted(options, host)) return std::nullopt;
  const auto state = enter_sandbox(sandbox_of(options, host));
  if (options.run.sandbox != SandboxWish::required || (state.files && state.calls)) return std::nullopt;
  return usage_error(state.calls ? "--sandbox=require: this kernel has no Landlock (Linux 5.13)"
                                 : "--sandbox=require: this system lets no process give up calls (seccomp)");
}

void enter_child_sandbox(const Options& options, const Host& host) {
  if (!is_wanted(options, host)) return;
  Sandbox sandbox;
  sandbox.network = sandbox.programs = options.packages.online;
  sandbox.scratch = {scratch_directory()};
  add_cache(sandbox, options, host);
  enter_sandbox(sandbox);
}

void hide_homes(const Options& options, const Host& host, const std::vector<Typed>& targets) {
  const auto is_stranger = [](const Typed& typed) {
    return std::holds_alternative<PackageTarget>(typed.target) || std::holds_alternative<LockTarget>(typed.target) ||
           std::holds_alternative<ImageTarget>(typed.target);
  };
  if (!is_wanted(options, host) || !std::all_of(targets.begin(), targets.end(), is_stranger)) return;
  auto homes = other_homes(host.environment.variable("HOME").value_or(""));
  const auto named = named_places(options, host);
  std::erase_if(homes, [&named](const std::string& home) {
    return std::any_of(named.begin(), named.end(),
                       [&home](const std::string& place) { return place == home || place.starts_with(home + "/"); });
  });
  if (!homes.empty()) hide_directories(homes);
}

}  // namespace cudald

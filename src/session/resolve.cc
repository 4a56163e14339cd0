#include "session/resolve.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>

#include <cudald/symbols.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "embedded.h"
#include "pyimport/run_import.h"
#include "session/described_world.h"
#include "session/import_module.h"
#include "session/platform.h"
#include "session/shared_readings.h"
#include "session/target_python.h"
#include "session/windows_world.h"
#include "session/world.h"

namespace cudald {
namespace {

constexpr std::string_view not_for_windows =
    "is for Linux, and this machine runs Windows; name a machine with Linux: --sysroot TREE or --host FILE";

/// Lets the process make all requests of the query, in order.
class Run {
 public:
  Run(const Query& query, SessionState& state) : state_(query, state) {}

  Resolution resolve(std::optional<SymbolReport>& symbols) {
    if (query().world == WorldKind::described) enter_described_world(state_);
    install_all();
    const bool windows = is_for_windows(state_);
    platform_ = windows ? make_windows_platform(state_) : make_linux_platform(state_);
    platform_->take_from_pools();
    if (query().world == WorldKind::tag)
      enter_world_of_tag(state_, windows);
    else if (query().lock || is_installed_here())
      add_absent_packages(state_, windows);
    for (const auto& given : query().targets) {
      // What following an import keeps is given back at its end, so each target may take as much as one alone.
      state_.python_cost.restart(python_limits);
      if (!windows && asks_about_this_windows(query()))
        state_.refuse(given, not_loadable(given, std::string(not_for_windows)));
      else
        add(given);
    }
    for (const auto& call : query().dlopens)
      if (platform_->process() != nullptr) platform_->call(call);
    Resolution resolution;
    if (auto* process = platform_->process()) {
      process->note_constants(query().constants);
      open_what_failed();
      symbols = platform_->symbols();
      resolution = process->take();
      resolution.notes.insert(resolution.notes.end(), state_.notes.begin(), state_.notes.end());
    }
    resolution.world = std::move(state_.world);
    resolution.refused_modules = std::move(refused_modules_);
    resolution.imports_reach_modules = imports_reach_modules_;
    resolution.failed_programs = std::move(state_.failed_programs);
    for (auto& target : state_.refused) resolution.targets.push_back(std::move(target));
    return resolution;
  }

 private:
  const Query& query() const { return state_.query; }
  PackageTree& packages() { return state_.store.packages; }

  void install_all() {
    std::vector<std::string> given, paths;
    const auto want = [&](const std::string& archive) {
      if (!archive.empty() && std::find(given.begin(), given.end(), archive) == given.end()) given.push_back(archive);
    };
    for (const auto& package : query().packages)
      if (!state_.is_folder_of_packages(package)) want(package);
    for (const auto& target : query().targets) want(package_target(target).archive);
    if (given.empty()) return;
    for (const auto& one : given) paths.push_back(state_.absolute(one));
    const auto numbers = state_.session.shared.packages.install(packages(), paths, query().limits);
    for (std::size_t i = 0; i < given.size(); ++i)
      if (numbers[i]) {
        state_.installed[given[i]] = *numbers[i];
      } else {
        auto error = numbers[i].error();
        error.path = given[i];
        state_.refuse(given[i], std::move(error));
      }
  }

  void add(const std::string& given) {
    if (const auto package = state_.installed.find(given); package != state_.installed.end()) {
      add_package(given, packages().packages()[package->second]);
      return;
    }
    if (const auto [archive, member] = package_target(given); !archive.empty()) {
      // A package that could not be installed was told of then.
      if (const auto package = state_.installed.find(archive); package != state_.installed.end())
        add_member(given, package->second, member);
      return;
    }
    if (auto error = described_elsewhere(state_, given)) {
      state_.refuse(given, std::move(*error));
      return;
    }
    const auto path = state_.find(given);
    const auto modules = platform_->modules_named(given, path.has_value());
    const auto programs =
        names_distribution(given, path) ? platform_->programs_named(given) : std::vector<std::string>();
    if (!modules.empty())
      add_modules(given, modules, programs);
    else if (!programs.empty())
      add_programs(given, programs, query().targets.size() == 1);
    else
      platform_->add_file(given, path);
    if (path) open_for_app_image(*path);
  }

  /// The program before the file system of an AppImage opens the library of FUSE that its constants name, and ends
  /// without it. Source: AppImageKit src/runtime.c, main; AppImage specification, type 2 image format.
  void open_for_app_image(const std::string& path) {
    auto& images = state_.store.images;
    const auto& opened = images.open(path);
    if (opened.error || !opened.image->elf.header.app_image || platform_->process() == nullptr) return;
    const auto& texts = images.library_texts(path).texts;
    for (const auto& text : texts) {
      DlopenRequest call{text.name};
      call.traits.optional = texts.size() > 1;  // one may do for another
      call.traits.without = "The AppImage says that it requires FUSE, and ends. Without FUSE it is unpacked: " +
                            std::string(file_name(path)) + " --appimage-extract, then squashfs-root/AppRun.";
      platform_->call(call);
    }
  }

  /// A library that a pasted message says was not loaded, and that is found: what it needs may be what is missing. It
  /// is opened as the file does that may open it; by the program, where the message tells of such a call and no file
  /// does.
  void open_what_failed() {
    const auto& message = query().message;
    if (!message || message->kind != MessageKind::hard || message->library.empty()) return;
    const auto wanted = folded(message->library);
    for (const auto& object : platform_->process()->resolution().objects)
      for (const auto& edge : object.may_open) {
        const bool found = edge.status == EdgeStatus::not_loaded && !edge.search.probes.empty() &&
                           edge.search.probes.back().result == ProbeResult::found;
        if (!found || folded(windows_file_name(edge.name)) != wanted) continue;
        DlopenRequest call{edge.name, object.path};
        call.traits.asked_at = std::string(file_name(object.path));
        platform_->call(call);
        return;
      }
    if (!message->opens || !platform_->process()->resolution().windows || is_wanted_by_some(wanted)) return;
    DlopenRequest call{message->library};
    call.traits.asked_at = "the program, as the message says";
    platform_->call(call);
  }

  bool is_wanted_by_some(const std::string& library) {
    for (const auto& object : platform_->process()->resolution().objects)
      for (const auto* edges : {&object.edges, &object.may_open})
        for (const auto& edge : *edges)
          if (folded(windows_file_name(edge.name)) == library) return true;
    return false;
  }

  /// Whether a target may be a distribution: not a file of the current directory, nor a path.
  bool names_distribution(const std::string& given, const std::optional<std::string>& path) const {
    return query().prefix && given.find('/') == std::string::npos && path != "./" + given;
  }

  void add_member(const std::string& given, std::size_t package, const std::string& member) {
    const auto path = packages().path_of(package, member);
    if (path)
      platform_->add_file(given, *path);
    else
      state_.refuse(given, {ErrorCode::absent, "the package has no library or program of that name", given,
                            std::nullopt, ENOENT});
  }

  /// Opens a target that is made up of requests of Python code; nullptr if there is no process in which it could run.
  Walk* begin(const std::string& given, TargetKind kind, const Image* like) {
    const bool starts = platform_->process() == nullptr;
    if (starts)
      if (auto error = platform_->start_python(given, like)) {
        state_.refuse(given, std::move(*error));
        return nullptr;
      }
    auto* process = platform_->process();
    process->begin(given, kind, starts);
    return process;
  }

  void add_modules(const std::string& given, const std::vector<std::string>& modules,
                   const std::vector<std::string>& programs) {
    // Of a whole environment the import itself says so; what is no whole one is taken to have the rest elsewhere.
    const auto& python = platform_->python();
    if (!python.complete && !has_module(modules.front(), python, packages())) {
      state_.refuse(given, platform_->no_module(given));
      return;
    }
    auto* process = begin(given, TargetKind::import, nullptr);
    if (process == nullptr) return;
    std::string error;
    for (const auto& module : modules)
      if (error.empty()) error = platform_->import(module);
    platform_->load_later(nullptr);
    try_programs(programs);
    process->end(std::move(error));
  }

  /// A wheel: what importing it loads, then its other extension modules, then the libraries that nothing loaded.
  void add_package(const std::string& given, const Package& package) {
    state_.store.images.prefetch(package.libraries);
    const auto files = platform_->files_of(given, package);
    if (!files) {
      state_.refuse(given, files.error());
      return;
    }
    if (!files->typical && !files->programs.empty()) {
      add_programs(given, files->programs, true);
      return;
    }
    auto* process = begin(given, TargetKind::package, files->typical.get());
    if (process == nullptr) return;
    std::string error;
    const auto names = imported_names(package, platform_->python(), packages());
    for (const auto& name : names)
      if (auto message = platform_->import(name); error.empty()) error = std::move(message);
    note_refused(files->modules, *process);
    const auto imported = names.empty() ? "" : names.front();
    const auto load = [&](const std::string& path, bool optional, bool module) {
      if (process->has_mapped(path)) return;
      auto call = load_of_unreached(path, imported, error.empty(), platform_->python());
      call.traits.optional = optional;
      if (!module) call.traits.without.clear();  // nobody imports it
      platform_->load_file(path, call);
    };
    for (const auto& path : files->modules) load(path, false, true);
    const auto told = platform_->load_later(&package);
    const auto is_known = [&](const std::string& path) {
      return process->has_mapped(path) || told.contains(path) || is_loaded_later(process->resolution(), path);
    };
    // With no module that needs them, the libraries are what the wheel is for, even if nobody is seen to load them.
    const bool libraries_only =
        files->modules.empty() && (process->resolution().imports.empty() ||
                                   std::none_of(files->libraries.begin(), files->libraries.end(), is_known));
    const auto first_library = process->resolution().targets.size();
    for (const auto& path : files->libraries)
      if (!is_known(path)) load(path, !libraries_only, false);
    if (libraries_only) doubt_plugins(*process, first_library, files->libraries);
    // What is no command lies among the modules, and is started by them with an environment of their choice.
    std::vector<std::string> commands;
    for (const auto& path : files->programs)
      if (parent_path(path) == std::string(PackageTree::prefix) + "/bin") commands.push_back(path);
    try_programs(commands);
    process->end(std::move(error));
  }

  /// Whether an installer puts the packages that are asked about on this machine, in an environment of their own.
  bool is_installed_here() const {
    return query().world == WorldKind::here && is_about_packages(query()) && !query().prefix &&
           query().sysroot == "/" && !query().windows_host;
  }

  /// Of the modules that no import has reached, those that another package would refuse.
  void note_refused(const std::vector<std::string>& modules, const Walk& process) {
    if (query().world != WorldKind::tag) return;
    std::vector<std::string> others;
    for (const auto& path : modules)
      if (!process.has_mapped(path)) others.push_back(path);
    imports_reach_modules_ = imports_reach_modules_ && others.size() < std::max<std::size_t>(modules.size(), 1);
    const auto& python = platform_->python();
    // Where something else that is required may ask for an older release, no import fails for it: all are looked at.
    const bool all_sure = std::all_of(python.releases.begin(), python.releases.end(),
                                      [](const auto& entry) { return entry.second.certain; });
    if (!all_sure) others = modules;
    for (auto& refused : refused_modules(others, python, packages(), embedded_python_rules())) {
      refused.module = module_name(refused.path, python);
      refused_modules_.push_back(told_refusal(refused, refused.path));
    }
  }

  /// Of a package of libraries alone, of which some load, or which are plug-ins: the others are what somebody opens who
  /// has what they need from outside.
  static void doubt_plugins(Walk& process, std::size_t first, const std::vector<std::string>& own) {
    const auto& targets = process.resolution().targets;
    std::set<std::string_view> names;
    for (const auto& path : own) names.insert(file_name(path));
    std::set<std::size_t> failed;
    for (auto index = first; index < targets.size(); ++index)
      if (!targets[index].error.empty() && !targets[index].traits.optional) failed.insert(index);
    const bool plugins = std::all_of(own.begin(), own.end(), is_plugin);
    if (failed.size() == targets.size() - first && !plugins) return;
    // The host of plug-ins has loaded what they need of one another.
    for (const auto& object : process.resolution().objects)
      for (const auto& edge : object.edges)
        if (!plugins && edge.hard && !edge.object && names.contains(edge.name)) failed.erase(object.target);
    process.doubt({failed.begin(), failed.end()});
  }

  /// Whether a library lies in a directory of plug-ins, which the program opens that they are made for.
  static bool is_plugin(const std::string& path) {
    const auto folders = split(parent_path(path), "/");
    return std::any_of(folders.begin(), folders.end(),
                       [](std::string_view folder) { return folder == "plugins" || folder == "plugin"; });
  }

  /// Whether another library is known to open the file on use.
  static bool is_loaded_later(const Resolution& resolution, const std::string& path) {
    return std::any_of(resolution.targets.begin(), resolution.targets.end(), [&](const Target& target) {
      return is_later(target) && (target.given == path || target.given == file_name(path));
    });
  }

  /// A package of programs alone: the first is the process where none is started yet and it may be; each other one has
  /// a process of its own.
  void add_programs(const std::string& given, const std::vector<std::string>& programs, bool may_start) {
    const bool starts = may_start && platform_->process() == nullptr;
    if (starts) platform_->add_file(programs.front(), programs.front());
    auto* process = platform_->process();
    if (starts && process != nullptr)
      process->begin(given, TargetKind::package, true);
    else if (!starts)
      process = begin(given, TargetKind::package, nullptr);
    if (process == nullptr) return;
    try_programs({programs.begin() + (starts ? 1 : 0), programs.end()});
    process->end("");
  }

  void try_programs(const std::vector<std::string>& programs) {
    for (const auto& path : programs)
      if (auto failed = platform_->try_program(path)) state_.failed_programs.push_back(std::move(*failed));
  }

  RunState state_;
  std::unique_ptr<Platform> platform_;
  std::vector<Import::RefusedModule> refused_modules_;
  bool imports_reach_modules_ = true;
};

}  // namespace

Resolution resolve(const Query& query, SessionState& state, std::optional<SymbolReport>& symbols) {
  return Run(query, state).resolve(symbols);
}

}  // namespace cudald

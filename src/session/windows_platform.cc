#include "session/windows_run.h"

#include <algorithm>
#include <set>

#include <elf.h>
#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/query.h>
#include <cudald/symbols.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "process/known_dlopens.h"
#include "process/windows_process.h"
#include "session/find_target.h"
#include "session/session_state.h"
#include "session/target_python.h"
#include "session/windows_import.h"
#include "session/windows_world.h"

namespace cudald {
namespace {

bool is_program(const Image& image) { return (image.pe->characteristics & pe_dll) == 0; }

bool is_extension(const std::string& path) { return folded(path).ends_with(".pyd"); }

class WindowsRun {
 public:
  WindowsRun(const Query& query, const std::map<std::string, std::size_t>& installed, SessionState& state)
      : query_(query), installed_(installed), state_(state), store_(state.store) {}

  Resolution resolve(std::optional<SymbolReport>& symbols) {
    for (const auto& given : query_.packages)
      if (store_.images.folder_exists(absolute(given)))
        notes_.push_back("no wheel is taken from the folder " + given + ": for Windows each is given by its name");
    for (const auto& given : query_.targets) add(given);
    for (const auto& call : query_.dlopens)
      if (process_) load_by_name(call.name, call);
    if (!process_) return std::move(refused_);
    process_->note_constants(query_.constants);
    if (query_.symbols != SymbolCheck::none) symbols = process_->take_symbols();
    auto resolution = process_->take();
    // A neutral program is nothing that was asked for.
    auto& start = resolution.targets.front();
    if (resolution.objects.front().known_by_name && !start.part_of && resolution.targets.size() > 1) start.part_of = 1;
    for (auto& target : refused_.targets) resolution.targets.push_back(std::move(target));
    resolution.notes.insert(resolution.notes.end(), notes_.begin(), notes_.end());
    return resolution;
  }

 private:
  std::string absolute(const std::string& path) const { return absolute_path(path, query_.environment.cwd); }

  void refuse(const std::string& given, std::string why) {
    Target target;
    target.given = given;
    target.unreadable = Error{ErrorCode::malformed, std::move(why), given, std::nullopt, 0};
    refused_.targets.push_back(std::move(target));
  }

  void add(const std::string& given) {
    if (const auto package = installed_.find(given); package != installed_.end()) {
      add_package(given, store_.packages.packages()[package->second]);
      return;
    }
    if (const auto module = module_named(given); !module.empty()) {
      add_module(given, module);
      return;
    }
    const auto found = find_target(given, query_, store_.images);
    if (!found) {
      if (!process_) start_host(neutral_image(), "", false);
      load_by_name(given, {});
      return;
    }
    const auto path = normal_path(absolute(*found));
    const auto& opened = store_.images.open(path);
    if (opened.error || !opened.image->is_pe()) {
      refuse(given, opened.error ? opened.error->message : "not a PE file, as the others are");
    } else if (!process_ && is_program(*opened.image)) {
      begin(find_windows_world(query_, store_,
                               {false, std::string(parent_path(path)), opened.image->format == Format::pe32_plus})
                .host);
      process_->start(given, path);
    } else {
      if (!process_) start_host(*opened.image, std::string(parent_path(path)), is_extension(path));
      load_file(given, path, {});
    }
  }

  Image neutral_image() const {
    Image image;
    image.machine = query_.environment.machine.value_or(EM_X86_64);
    image.format = image.machine == EM_386 ? Format::pe32 : Format::pe32_plus;
    return image;
  }

  void load_by_name(const std::string& name, const DlopenRequest& call) {
    process_->load(name, name, {}, WindowsCaller::program, call);
  }

  /// As Python would: extension modules are imported, other DLLs loaded by ctypes. Without Python, by LoadLibrary.
  void load_file(const std::string& given, const std::string& path, const DlopenRequest& call) {
    const auto& host = process_->host();
    const auto name = process_->tree().spelled(path);
    if (host.python_minor == 0) {
      process_->load(given, name, {}, WindowsCaller::program, call);
    } else {
      const bool module = is_extension(path);
      process_->load(
          given, name,
          module ? python_load_flags(host.python_minor, host.conda) : ctypes_load_flags(host.python_minor, name),
          module ? WindowsCaller::python_import : WindowsCaller::ctypes, call);
    }
  }

  void start_host(const Image& like, const std::string& folder, bool with_python) {
    if (with_python) {
      start_python(like);
      return;
    }
    auto world = find_windows_world(query_, store_, {false, folder, like.format == Format::pe32_plus});
    const auto program = world.host.application + "\\(the program that loads it)";
    if (!folder.empty())
      notes_.push_back("the program that loads it is taken to lie in the same folder, and to call LoadLibrary");
    begin(std::move(world.host));
    process_->start_host("(a neutral program)", program, like);
  }

  void begin(WindowsHost host) {
    state_.windows = host;
    process_.emplace(store_.images, std::move(host), query_.symbols != SymbolCheck::none);
  }

  /// The process in which Python code runs: python.exe of the prefix, or a neutral program for DLLs like `image`.
  void start_python(const Image& like) {
    auto world = find_windows_world(query_, store_, {true, "", like.format == Format::pe32_plus});
    python_ = world.python;
    notes_.insert(notes_.end(), world.notes.begin(), world.notes.end());
    const auto program = world.host.application + "\\python.exe";
    begin(std::move(world.host));
    const auto& interpreter = python_->interpreter;
    if (const auto* image = interpreter.empty() ? nullptr : pe_at(interpreter); image != nullptr && is_program(*image))
      process_->start(interpreter, interpreter);
    else
      process_->start_host(neutral_python, program, like);
  }

  const Image* pe_at(const std::string& path) {
    const auto& opened = store_.images.open(path);
    return !opened.error && opened.image->is_pe() ? opened.image.get() : nullptr;
  }

  /// Looked for only when some target may be a module.
  const PythonEnvironment& python() {
    if (!python_) python_ = find_windows_world(query_, store_, {true, "", true}).python;
    return *python_;
  }

  /// The module that a target means; empty if it means none.
  std::string module_named(const std::string& given) {
    if (given.starts_with("py:")) return given.substr(3);
    const bool stated = query_.prefix || !store_.packages.packages().empty();
    return stated && is_module_name(given) && has_module(given, python(), store_.packages) ? given : "";
  }

  void add_module(const std::string& given, const std::string& module) {
    if (!python().complete && !has_module(module, python(), store_.packages)) {
      refuse(given, python().path.empty() ? "no Python of Windows is given: --prefix DIR, or --with WHEEL"
                                          : "no such module is there");
      return;
    }
    const bool starts = !process_;
    if (starts) start_python(neutral_image());
    process_->begin(given, TargetKind::import, starts);
    auto error = import_on_windows(module, python(), store_.packages, *process_);
    load_later(nullptr);
    process_->end(std::move(error));
  }

  /// A wheel: what importing it loads, then its other extension modules, then the DLLs that nothing loaded.
  void add_package(const std::string& given, const Package& package) {
    store_.images.prefetch(package.libraries);
    std::vector<std::string> modules, others;
    for (const auto& path : package.libraries) {
      const auto& opened = store_.images.open(path);
      if (opened.error || !opened.image->is_pe() || is_program(*opened.image)) continue;
      (is_extension(path) ? modules : others).push_back(path);
    }
    if (modules.empty() && others.empty()) {
      refuse(given, "holds no DLL that could be judged");
      return;
    }
    const bool starts = !process_;
    if (starts) start_host(*store_.images.open(modules.empty() ? others.front() : modules.front()).image, "", true);
    process_->begin(given, TargetKind::package, starts);
    std::string error;
    const auto names = imported_names(package, python(), store_.packages);
    for (const auto& name : names)
      if (auto message = import_on_windows(name, python(), store_.packages, *process_); error.empty())
        error = std::move(message);
    const bool libraries_only = modules.empty() && process_->resolution().imports.empty();
    std::set<std::string> told;
    for (const auto* paths : {&modules, &others}) {
      if (paths == &others) told = load_later(&package);
      for (const auto& path : *paths) {
        if (process_->has_mapped(path) || told.contains(path)) continue;
        auto call = load_of_unreached(path, names.empty() ? "" : names.front(), python());
        call.traits.optional = paths == &others && !libraries_only;
        load_file(path, path, call);
      }
    }
    process_->end(std::move(error));
  }

  /// What packages load on use, as far as it is known: those of one wheel, or else those that an import has begun with.
  /// Gives the files of their own that are told by that.
  std::set<std::string> load_later(const Package* package) {
    std::set<std::string> files;
    for (const auto& asker : files_with_known_loads()) {
      const auto site = std::find_if(python().path.begin(), python().path.end(), [&](const std::string& folder) {
        return is_file(store_.packages, folder + "/" + asker);
      });
      if (site == python().path.end()) continue;
      const auto place = *site + "/" + asker;
      const bool concerned = package != nullptr ? store_.packages.package_of(place) == package
                                                : has_mapped_below(std::string(parent_path(place)));
      if (!concerned || !told_.insert(place).second) continue;
      for (auto& known : known_loads(asker, *site, store_.packages)) {
        if (known.call.name != place) known.call.traits.asked_at = store_.packages.shown(place);
        if (known.by_path) files.insert(known.call.name);
        WindowsLoadFlags flags;
        flags.altered_search_path = known.altered_search_path;
        const auto name = known.by_path ? process_->tree().spelled(known.call.name) : known.call.name;
        process_->load(known.call.name, name, flags, WindowsCaller::program, known.call);
      }
    }
    return files;
  }

  bool has_mapped_below(const std::string& folder) const {
    const auto& objects = process_->resolution().objects;
    return std::any_of(objects.begin(), objects.end(),
                       [&](const Object& object) { return !object.unmapped && object.path.starts_with(folder + "/"); });
  }

  const Query& query_;
  const std::map<std::string, std::size_t>& installed_;
  SessionState& state_;
  Store& store_;
  std::optional<PythonEnvironment> python_;
  std::optional<WindowsProcess> process_;
  std::set<std::string> told_;  ///< files whose later loads are told
  std::vector<std::string> notes_;
  Resolution refused_;
};

}  // namespace

namespace {

/// Whether the libraries of a package are PE files.
bool is_windows_package(const Package& package, Store& state) {
  const auto is_named_for_windows = [](const std::string& path) {
    const auto name = folded(path);
    return name.ends_with(".dll") || name.ends_with(".pyd");
  };
  // Nothing of a wheel for Linux is opened before all packages are installed.
  if (std::none_of(package.libraries.begin(), package.libraries.end(), is_named_for_windows)) return false;
  // Of mixed names the first file that can be read tells: TensorFlow's operators are PE files called .so.
  for (const auto& path : package.libraries) {
    const auto& opened = state.images.open(path);
    if (!opened.error && (opened.image->is_elf() || opened.image->is_pe())) return opened.image->is_pe();
  }
  return false;
}

}  // namespace

bool is_for_windows(const Query& query, const std::map<std::string, std::size_t>& installed, Store& state) {
  if (query.targets.empty()) return false;
  if (query.windows) return *query.windows;
  const auto& first = query.targets.front();
  const auto is_pe = [&](const std::string& path) {
    const auto& opened = state.images.open(path);
    return !opened.error && opened.image->is_pe();
  };
  if (const auto package = installed.find(first); package != installed.end())
    return is_windows_package(state.packages.packages()[package->second], state);
  if (query.prefix && is_windows_python(absolute_path(*query.prefix, query.environment.cwd), state.packages))
    return true;
  const bool module = first.starts_with("py:") || (first.find('/') == std::string::npos && is_module_name(first));
  if (module && !query.prefix)
    for (const auto& [given, number] : installed)
      if (is_windows_package(state.packages.packages()[number], state)) return true;
  if (const auto path = find_target(first, query, state.images))
    return is_pe(absolute_path(*path, query.environment.cwd));
  return folded(first).ends_with(".dll") && !query.environment.dll_path.empty() && first.find('/') == std::string::npos;
}

Resolution resolve_windows(const Query& query, const std::map<std::string, std::size_t>& installed, SessionState& state,
                           std::optional<SymbolReport>& symbols) {
  return WindowsRun(query, installed, state).resolve(symbols);
}

}  // namespace cudald

#include "session/resolve.h"

#include <elf.h>

#include <algorithm>
#include <map>

#include <cudald/image.h>
#include <cudald/query.h>
#include <cudald/symbols.h>

#include "base/path.h"
#include "env/abi.h"
#include "process/library_kind.h"
#include "process/process.h"
#include "session/find_target.h"
#include "session/import_module.h"
#include "session/required_wheels.h"
#include "session/session_state.h"
#include "session/target_python.h"
#include "session/windows_run.h"

namespace cudald {
namespace {

Error not_loadable(const std::string& path, std::string why) {
  return {ErrorCode::malformed, std::move(why), path, std::nullopt, 0};
}

/// Why a file cannot be the start of a process at all; nullopt if it can.
std::optional<Error> refusal(const std::string& path, const OpenedFile& opened, const Environment& environment) {
  if (opened.error) {
    auto error = *opened.error;
    error.path = path;
    if (error.system_error == EISDIR) error.message = "a folder, not a file";
    return error;
  }
  const auto& image = *opened.image;
  if (image.file_size == 0) return not_loadable(path, "the file is empty");
  if (image.is_pe())
    return not_loadable(path,
                        "a PE file (" + std::string(image.format_name()) + "): only a process of Windows loads it");
  if (image.has_mz_magic) return not_loadable(path, "a program for DOS, or a PE file that was cut short");
  if (!image.elf.header.has_magic) return not_loadable(path, "not an ELF file (it does not start with \\x7fELF)");
  if (!image.is_elf()) return not_loadable(path, "the ELF header is cut short or names an unknown class or byte order");
  if (image.type == FileType::relocatable) return not_loadable(path, "an object file (.o): it is linked, not loaded");
  if (image.type != FileType::executable && image.type != FileType::shared)
    return not_loadable(path, "an ELF file, but neither a program nor a shared library");
  if (!image.elf.header.program_header_size_ok || !image.elf.header.program_headers_readable ||
      image.elf.load_segments.empty())
    return not_loadable(path, "its program headers are missing or run past the end of the file");
  if (image.elf.empty_dynamic_segment) return not_loadable(path, "object file has no dynamic section");
  if (find_abi(image.machine, image.format, image.byte_order) == nullptr)
    return not_loadable(path, "made for " + machine_name(image.machine) + " (" + std::string(image.format_name()) +
                                  "), a machine whose loader is not simulated");
  if (environment.machine && image.machine != *environment.machine)
    return not_loadable(path, "made for " + machine_name(image.machine) + ", not for the " +
                                  machine_name(*environment.machine) + " that was asked for");
  return std::nullopt;
}

/// Lets the process make all requests of the query, in order.
class Run {
 public:
  Run(const Query& query, SessionState& state) : query_(query), state_(state), store_(state.store) {}

  Resolution resolve(std::optional<SymbolReport>& symbols) {
    for (const auto& package : query_.packages)
      if (!is_pool(package)) install(package);
    for (const auto& given : query_.targets)
      if (is_package_name(given)) install(given);
    if (is_for_windows(query_, installed_, store_)) {
      auto resolution = resolve_windows(query_, installed_, state_, symbols);
      for (auto& target : refused_.targets) resolution.targets.push_back(std::move(target));
      return resolution;
    }
    take_from_pools();
    for (const auto& given : query_.targets) add(given);
    for (const auto& call : query_.dlopens) dlopen(call);
    if (!process_) return std::move(refused_);
    process_->note_constants(query_.constants);
    auto resolution = process_->take();
    resolution.notes.insert(resolution.notes.end(), notes_.begin(), notes_.end());
    for (auto& target : refused_.targets) resolution.targets.push_back(std::move(target));
    return resolution;
  }

 private:
  void install(const std::string& given) {
    const auto number = store_.packages.install(absolute_path(given, query_.environment.cwd), query_.limits);
    if (number) {
      installed_[given] = *number;
    } else {
      auto error = number.error();
      error.path = given;
      refuse(given, std::move(error));
    }
  }

  bool is_pool(const std::string& given) const {
    return is_folder(store_.packages, absolute_path(given, query_.environment.cwd));
  }

  /// Installs what the targets require, as far as folders of wheels hold it.
  void take_from_pools() {
    WheelPool pool(store_.packages);
    for (const auto& package : query_.packages)
      if (is_pool(package)) pool.add_folder(absolute_path(package, query_.environment.cwd));
    if (pool.empty()) return;
    std::vector<std::string> modules;
    for (const auto& given : query_.targets) {
      const auto name = given.starts_with("py:") ? given.substr(3) : given;
      if (is_module_name(name) && !is_package_name(given)) modules.push_back(name.substr(0, name.find('.')));
    }
    auto taken = install_required_wheels(pool, modules, query_, store_.packages);
    for (auto& note : taken.notes) notes_.push_back(std::move(note));
    for (auto& [path, error] : taken.faults) refuse(path, std::move(error));
  }

  /// A wheel: what importing it loads, then its other extension modules, then the libraries that nothing loaded.
  void add_package(const std::string& given, const Package& package) {
    store_.images.prefetch(package.libraries);
    std::vector<std::string> modules, others;
    const Image* first = nullptr;
    bool damaged = false, windows = false;
    for (const auto& path : package.libraries) {
      const auto& opened = store_.images.open(path);
      damaged |= opened.error && opened.error->code == ErrorCode::malformed;
      windows |= opened.image && opened.image->is_pe();
      if (opened.error || !opened.image->is_elf() || opened.image->type != FileType::shared) continue;
      (is_extension_module(path) ? modules : others).push_back(path);
      if (first == nullptr) first = opened.image.get();
    }
    if (first == nullptr && windows) {
      refuse(given,
             not_loadable(
                 given, "made for Windows (its libraries are PE files): it cannot be loaded together with the others"));
      return;
    }
    if (first == nullptr) {
      refuse(given, damaged ? not_loadable(given, "holds no shared library that can be unpacked")
                            : Error{ErrorCode::absent, "holds no shared library that could be judged", given,
                                    std::nullopt, 0});
      return;
    }
    const bool starts = !process_;
    if (starts) start_python(*first);
    if (!process_) {
      refuse(given, not_loadable(given, "made for " + machine_name(first->machine) +
                                            ", a machine whose loader is not simulated"));
      return;
    }
    process_->begin(given, TargetKind::package, starts);
    std::string error;
    const auto names = imported_names(package, python(), store_.packages);
    for (const auto& name : names)
      if (auto message = import_module(name, python(), store_.packages, *process_); error.empty())
        error = std::move(message);
    // With no module that needs them, the libraries are what the wheel is for.
    const bool libraries_only = modules.empty() && process_->resolution().imports.empty();
    for (const auto* paths : {&modules, &others})
      for (const auto& path : *paths) {
        if (process_->has_mapped(path)) continue;
        auto call = load_of_unreached(path, names.empty() ? "" : names.front(), python());
        call.traits.optional = paths == &others && !libraries_only;
        process_->dlopen(path, call, 0);
      }
    process_->end(std::move(error));
  }

  void add_module(const std::string& given, const std::string& module) {
    // Of a whole environment the import itself says so; what is no whole one is taken to have the rest elsewhere.
    if (!python().complete && !has_module(module, python(), store_.packages)) {
      refuse(given, {ErrorCode::absent,
                     python().path.empty() ? "no Python environment is active; name one: --prefix DIR"
                                           : "no such module is there",
                     given, std::nullopt, 0});
      return;
    }
    const bool starts = !process_;
    if (starts) start_python(Image{});
    process_->begin(given, TargetKind::import, starts);
    process_->end(import_module(module, python(), store_.packages, *process_));
  }

  /// The process in which Python code runs: the interpreter, or a neutral program for libraries like `image`.
  void start_python(const Image& image) {
    if (!python().interpreter.empty()) {
      const auto& opened = store_.images.open(python().interpreter);
      if (!refusal(python().interpreter, opened, query_.environment)) {
        start(python().interpreter, python().interpreter);
        return;
      }
    }
    const auto* abi = image.is_elf()
                          ? find_abi(image.machine, image.format, image.byte_order)
                          : find_abi(query_.environment.machine.value_or(EM_X86_64), Format::elf64, ByteOrder::little);
    if (abi == nullptr) return;
    const bool musl = query_.environment.libc ? query_.environment.libc->kind == LibcKind::musl : wants_musl(image);
    const auto interpreter = interpreter_of({}, *abi, musl);
    process_.emplace(store_.images, state_.loader(interpreter, *abi, musl, query_.environment), query_.environment);
    process_->start_host(neutral_python, abi->machine, abi->format, interpreter);
  }

  void add(const std::string& given) {
    if (const auto package = installed_.find(given); package != installed_.end()) {
      add_package(given, store_.packages.packages()[package->second]);
      return;
    }
    if (is_package_name(given)) return;  // told of when it could not be installed
    const auto path = find_target(given, query_, store_.images);
    if (auto module = module_named(given, path.has_value()); !module.empty()) {
      add_module(given, module);
    } else if (process_) {
      process_->dlopen(given, {.name = path.value_or(given)}, 0);
    } else if (path) {
      start(given, *path);
    } else {
      start_by_name(given);
    }
  }

  /// The module that a target means; empty if it means none. `is_file`: some file or program answers to it as well.
  std::string module_named(const std::string& given, bool is_file) {
    if (given.starts_with("py:")) return given.substr(3);
    if (given.find('/') != std::string::npos || !is_module_name(given)) return "";
    // A folder that was given counts for more than PATH; the active environment for less.
    const bool stated = query_.prefix || !store_.packages.packages().empty();
    if (is_file && (!stated || exists(given))) return "";
    return has_module(given, python(), store_.packages) ? given : "";
  }

  /// Looked for only when some target may be a module.
  const PythonEnvironment& python() {
    if (!python_) python_ = find_target_python(query_, store_.packages);
    return *python_;
  }

  bool exists(const std::string& given) const {
    return store_.packages.status(absolute_path(given, query_.environment.cwd)).has_value();
  }

  void start(const std::string& given, const std::string& path) {
    const auto& opened = store_.images.open(absolute_path(path, query_.environment.cwd));
    if (auto error = refusal(given, opened, query_.environment)) {
      refuse(given, std::move(*error));
      return;
    }
    const auto& image = *opened.image;
    const auto& abi = *find_abi(image.machine, image.format, image.byte_order);
    const bool musl = query_.environment.libc ? query_.environment.libc->kind == LibcKind::musl : wants_musl(image);
    const auto interpreter = interpreter_of(image, abi, musl);
    const auto& loader = state_.loader(interpreter, abi, musl, query_.environment);
    process_.emplace(store_.images, loader, query_.environment);
    process_->start(given, path, interpreter);
  }

  /// A bare library name with nothing loaded yet: found as a dlopen of a program without search paths of its own.
  void start_by_name(const std::string& given) {
    const auto machine = query_.environment.machine.value_or(EM_X86_64);
    const auto* abi = find_abi(machine, Format::elf64, ByteOrder::little);
    const bool musl = query_.environment.libc && query_.environment.libc->kind == LibcKind::musl;
    if (abi != nullptr) {
      const auto interpreter = interpreter_of({}, *abi, musl);
      const auto& loader = state_.loader(interpreter, *abi, musl, query_.environment);
      Resolution nobody;
      nobody.objects.emplace_back();
      nobody.objects.front().image = std::make_shared<Image>();
      const auto plan = loader.candidates({given, EdgeKind::dlopen, 0, true}, nobody);
      for (const auto& candidate : plan.candidates) {
        const auto& opened = store_.images.open(absolute_path(candidate.path, query_.environment.cwd));
        if (loader.judge(opened, {given, EdgeKind::dlopen, 0, true}).action != Judgement::Action::take) continue;
        start(given, candidate.path);
        return;
      }
    }
    refuse(given, {ErrorCode::absent,
                   "no such file here, and the loader finds no library of that name" +
                       std::string(query_.prefix ? ", nor is it in " + *query_.prefix : ""),
                   given, std::nullopt, 0});
  }

  void refuse(const std::string& given, Error error) {
    Target target;
    target.given = given;
    target.unreadable = std::move(error);
    refused_.targets.push_back(std::move(target));
  }

  void dlopen(const DlopenRequest& call) {
    if (!process_) return;
    const auto caller = call.caller.empty() ? std::optional<ObjectId>(0) : process_->find(call.caller);
    if (caller) {
      process_->dlopen(call.name, call, *caller);
    } else {
      process_->refuse(call.name,
                       {ErrorCode::usage, "nothing of the name " + call.caller + " is loaded that could call dlopen",
                        call.caller, std::nullopt, 0});
    }
  }

  const Query& query_;
  SessionState& state_;
  Store& store_;
  std::map<std::string, std::size_t> installed_;
  std::optional<PythonEnvironment> python_;
  std::optional<Process> process_;
  std::vector<std::string> notes_;
  Resolution refused_;
};

}  // namespace

Resolution resolve(const Query& query, SessionState& state, std::optional<SymbolReport>& symbols) {
  return Run(query, state).resolve(symbols);
}

}  // namespace cudald

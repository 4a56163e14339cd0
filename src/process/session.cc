#include <cudald/report.h>

#include <elf.h>

#include <algorithm>
#include <map>

#include "base/path.h"
#include "check/checks.h"
#include "env/abi.h"
#include "fs/image_store.h"
#include "process/find_target.h"
#include "process/package_paths.h"
#include "process/process.h"
#include "process/session_state.h"
#include "process/symbol_store.h"

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
  if (!image.has_elf_magic) return not_loadable(path, "not an ELF file (it does not start with \\x7fELF)");
  if (!image.is_elf()) return not_loadable(path, "the ELF header is cut short or names an unknown class or byte order");
  if (image.type == FileType::relocatable) return not_loadable(path, "an object file (.o): it is linked, not loaded");
  if (image.type != FileType::executable && image.type != FileType::shared)
    return not_loadable(path, "an ELF file, but neither a program nor a shared library");
  if (!image.program_header_size_ok || !image.program_headers_readable || image.load_segments.empty())
    return not_loadable(path, "its program headers are missing or run past the end of the file");
  if (image.empty_dynamic_segment)
    return not_loadable(path, "object file has no dynamic section");
  if (find_abi(image.machine, image.format, image.byte_order) == nullptr)
    return not_loadable(path, "made for " + machine_name(image.machine) + " (" + std::string(image.format_name()) +
                                  "), a machine whose loader is not simulated");
  if (environment.machine && image.machine != *environment.machine)
    return not_loadable(path, "made for " + machine_name(image.machine) + ", not for the " +
                                  machine_name(*environment.machine) + " that was asked for");
  return std::nullopt;
}

bool wants_musl(const Image& image) {
  if (image.interpreter) return file_name(*image.interpreter).starts_with("ld-musl");
  for (const auto& needed : image.needed)
    if (needed.name == "libc.so" || needed.name.starts_with("libc.musl-")) return true;
  return false;
}

bool is_package(const std::string& path) { return is_package_name(path); }

/// By the suffixes that Python gives extension modules; a bare "x.so" counts unless it is named like a library.
bool is_extension_module(const std::string& path) {
  const auto name = file_name(path);
  return name.find(".cpython-") != std::string_view::npos || name.ends_with(".abi3.so") ||
         (name.ends_with(".so") && !name.starts_with("lib"));
}

/// The dynamic loader's path: the program's own, else the one that its ABI and C library usually have.
std::string interpreter_of(const Image& image, const Abi& abi, bool musl) {
  if (image.interpreter) return *image.interpreter;
  return musl ? "/lib/ld-musl-" + std::string(abi.musl_name) + ".so.1" : std::string(abi.interpreter);
}

}  // namespace

Session::Session(const FileSystem& files) : files_(files), state_(std::make_unique<SessionState>(files)) {}

Session::~Session() = default;

const Loader& SessionState::loader(const std::string& interpreter, const Abi& abi, bool musl,
                                   const Environment& environment) {
  for (const auto& known : loaders_)
    if (known.interpreter == interpreter && known.abi == &abi && known.environment == environment) return *known.loader;
  auto loader = musl ? make_musl_loader(images.files(), interpreter, abi, environment)
                     : make_glibc_loader(images.files(), interpreter, abi, environment);
  loaders_.push_back({interpreter, &abi, environment, std::move(loader)});
  return *loaders_.back().loader;
}

namespace {

/// Lets the process make all requests of the query, in order.
class Run {
 public:
  Run(const Query& query, SessionState& state) : query_(query), state_(state) {}

  Resolution resolve() {
    for (const auto& package : query_.packages) install(package);
    for (const auto& given : query_.targets)
      if (is_package(given)) install(given);
    for (const auto& given : query_.targets) add(given);
    for (const auto& call : query_.dlopens) dlopen(call);
    if (!process_) return std::move(refused_);
    auto resolution = process_->take();
    for (auto& target : refused_.targets) resolution.targets.push_back(std::move(target));
    return resolution;
  }

 private:
  void install(const std::string& given) {
    const auto number = state_.packages.install(absolute_path(given, query_.environment.cwd));
    if (number) {
      installed_[given] = *number;
    } else {
      auto error = number.error();
      error.path = given;
      refuse(given, std::move(error));
    }
  }

  /// Everything in a wheel that can be loaded, as one process would: first its extension modules, then what is left.
  void add_package(const std::string& given, const Package& package) {
    state_.images.prefetch(package.libraries);
    std::vector<std::string> modules, others;
    for (const auto& path : package.libraries) {
      const auto& opened = state_.images.open(path);
      if (opened.error || !opened.image->is_elf() || opened.image->type != FileType::shared) continue;
      (is_extension_module(path) ? modules : others).push_back(path);
      if (!process_) start_host(given, *opened.image);
    }
    if (!process_) {
      refuse(given, {ErrorCode::absent, "holds no shared library that could be judged", given, std::nullopt, 0});
      return;
    }
    for (const auto& path : modules) process_->dlopen(path, {path, "", false, false, false, false}, 0);
    for (const auto& path : others)
      if (!process_->has_mapped(path)) process_->dlopen(path, {path, "", false, false, false, true}, 0);
  }

  void start_host(const std::string& given, const Image& image) {
    const auto* abi = find_abi(image.machine, image.format, image.byte_order);
    if (abi == nullptr) return;
    const bool musl = query_.environment.libc ? query_.environment.libc->kind == LibcKind::musl : wants_musl(image);
    const auto interpreter = interpreter_of({}, *abi, musl);
    process_.emplace(state_.images, state_.loader(interpreter, *abi, musl, query_.environment), query_.environment);
    process_->start_host(given, image.machine, image.format, interpreter);
  }

  void add(const std::string& given) {
    if (const auto package = installed_.find(given); package != installed_.end()) {
      add_package(given, state_.packages.packages()[package->second]);
      return;
    }
    if (is_package(given)) return;  // told of when it could not be installed
    const auto path = find_target(given, query_, state_.images);
    if (process_) {
      process_->dlopen(given, {path.value_or(given), "", false, false, false, false}, 0);
    } else if (path) {
      start(given, *path);
    } else {
      start_by_name(given);
    }
  }

  void start(const std::string& given, const std::string& path) {
    const auto& opened = state_.images.open(absolute_path(path, query_.environment.cwd));
    if (auto error = refusal(given, opened, query_.environment)) {
      refuse(given, std::move(*error));
      return;
    }
    const auto& image = *opened.image;
    const auto& abi = *find_abi(image.machine, image.format, image.byte_order);
    const bool musl = query_.environment.libc ? query_.environment.libc->kind == LibcKind::musl : wants_musl(image);
    const auto interpreter = interpreter_of(image, abi, musl);
    const auto& loader = state_.loader(interpreter, abi, musl, query_.environment);
    process_.emplace(state_.images, loader, query_.environment);
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
        const auto& opened = state_.images.open(absolute_path(candidate.path, query_.environment.cwd));
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
      process_->refuse(call.name, {ErrorCode::usage, "nothing of the name " + call.caller + " is loaded that could call dlopen",
                               call.caller, std::nullopt, 0});
    }
  }

  const Query& query_;
  SessionState& state_;
  std::map<std::string, std::size_t> installed_;
  std::optional<Process> process_;
  Resolution refused_;
};

}  // namespace

namespace {

Report explain_in(const Query& query, SessionState& state) {
  Report report;
  report.query = query;
  report.resolution = Run(query, state).resolve();
  find_version_problems(report.resolution);
  if (query.symbols != SymbolCheck::none && !report.resolution.objects.empty()) {
    report.symbols = bind_symbols(report.resolution, query.environment, state.symbols, query.keep_bindings);
    for (const auto& aborting : report.symbols->aborting) {
      auto& target = report.resolution.targets[report.resolution.objects[aborting.object].target];
      if (target.error.empty() && !aborting.lazy) target.error = aborting.message;
    }
    for (const auto& missing : report.symbols->missing) {
      auto& target = report.resolution.targets[report.resolution.objects[missing.object].target];
      if (target.error.empty() && !missing.lazy && is_blamed_on_files(report, missing)) target.error = missing.message;
    }
  }
  for (auto& object : report.resolution.objects)
    if (const auto* package = state.packages.package_of(object.path)) object.package = PackageName{package->name, package->version};
  judge(report, state);
  show_package_paths(report, state.packages);
  return report;
}

}  // namespace

Report Session::explain(const Query& query) {
  const bool with_packages = !query.packages.empty() || std::any_of(query.targets.begin(), query.targets.end(), is_package);
  if (!with_packages) return explain_in(query, *state_);
  // What is installed for one question must not be there for the next.
  SessionState own(files_);
  return explain_in(query, own);
}

const Image* Session::image(const std::string& path, Error& error) {
  const auto& opened = state_->images.open(path);
  if (opened.error) {
    error = *opened.error;
    return nullptr;
  }
  return opened.image.get();
}

}  // namespace cudald

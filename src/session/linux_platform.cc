#include <elf.h>

#include <cerrno>

#include <fmt/format.h>

#include <cudald/image.h>

#include "audit/policy_table.h"
#include "base/extension_suffix.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/similar_word.h"
#include "base/trimmed.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/strange_file.h"
#include "machine/abi.h"
#include "package/dist_info.h"
#include "process/library_kind.h"
#include "process/process.h"
#include "process/secure_mode.h"
#include "session/find_target.h"
#include "session/import_module.h"
#include "session/platform.h"
#include "session/shared_readings.h"
#include "session/target_python.h"

namespace cudald {
namespace {

/// Of a Python source how its imports are judged: as those of a module, which Python finds beside it.
std::optional<std::string> what_of_python(const std::string& path) {
  const auto name = file_name(path);
  if (!name.ends_with(".py")) return std::nullopt;
  const auto module = name.substr(0, name.size() - 3);
  return fmt::format("Python source, which the loader does not load. What it imports: PYTHONPATH={} cudald py:{}",
                     shell_word(parent_path(path)), shell_word(module));
}

/// What a file is that no loader takes, where something helps: a library for macOS that was copied here.
std::string what_it_is(const std::string& path, ImageStore& images) {
  const auto strange = identify_strange_file(path, images, false);
  if (!strange || strange->fixes.empty()) return "not an ELF file (it does not start with \\x7fELF)";
  const auto& fix = strange->fixes.front();
  return fmt::format("not an ELF file: {}; {}{}{}", strange->is, fix.title, fix.command.empty() ? "" : ": ",
                     fix.command);
}

/// Of a script the program that its first line names. Source: Linux fs/binfmt_script.c.
std::string what_instead_of_elf(const std::string& path, ImageStore& images) {
  if (auto what = what_of_python(path)) return *what;
  const auto& files = images.files();
  constexpr std::uint64_t longest = 1 << 20;
  const auto text = read_file(files, path, longest);
  if (!text || !text->starts_with("#!")) return what_it_is(path, images);
  constexpr std::string_view carriage_return = "\r\n";
  if (const auto end = text->find('\n'); end != std::string::npos && text->find(carriage_return) == end - 1)
    return fmt::format(
        "a script whose lines end as those of Windows: the system looks for a program whose name ends with a carriage "
        "return, and says that there is none. Run: sed -i 's/\\r$//' {}",
        shell_word(path));
  const auto line = trimmed(std::string_view(*text).substr(
      2, text->find('\n') == std::string::npos ? std::string::npos : text->find('\n') - 2));
  const auto program = std::string(line.substr(0, line.find_first_of(" \t")));
  if (program.empty()) return "not an ELF file (it does not start with \\x7fELF)";
  if (is_file(files, program))
    return fmt::format("a script, which {} runs: name that program, or a module by py:NAME", program);
  const auto beside = std::string(parent_path(path)) + "/" + std::string(file_name(program));
  if (!is_file(files, beside)) return fmt::format("a script whose first line names {}, which is missing", program);
  return fmt::format(
      "a script whose first line names {}, which is missing: its environment was moved or copied. Run {} {}, "
      "or make the environment anew",
      program, shell_word(beside), shell_word(path));
}

std::string for_other_machine(const std::string& how, std::uint16_t machine, std::uint16_t asked_for) {
  return how + machine_name(machine) + ", not for the " + machine_name(asked_for) + " that was asked for";
}

/// Why a file cannot be the start of a process at all; nullopt if it can.
std::optional<Error> refusal(const std::string& path, const OpenedFile& opened, const Environment& environment,
                             ImageStore& images) {
  if (opened.error) {
    auto error = *opened.error;
    error.path = path;
    if (error.system_error == EISDIR) error.message = "no packages or libraries found in this directory";
    return error;
  }
  const auto& image = *opened.image;
  if (image.file_size == 0) return not_loadable(path, "the file is empty");
  if (image.is_pe())
    return not_loadable(path,
                        "a PE file (" + std::string(image.format_name()) + "): only a process of Windows loads it");
  if (image.has_mz_magic) return not_loadable(path, "a program for DOS, or a PE file that was cut short");
  if (!image.elf.header.has_magic) return not_loadable(path, what_instead_of_elf(opened.real_path, images));
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
    return not_loadable(path, for_other_machine("made for ", image.machine, *environment.machine));
  return std::nullopt;
}

/// Whether the kernel would start the file, and it is no script.
bool is_linux_program(const Image& image) {
  if (!image.is_elf()) return false;
  const bool position_independent =
      image.type == FileType::shared && (image.elf.interpreter || (image.elf.flags_1 & df_1_pie) != 0);
  return image.type == FileType::executable || position_independent;
}

class LinuxPlatform final : public Platform {
 public:
  explicit LinuxPlatform(RunState& run) : run_(run) {}

  Walk* process() override { return process_ ? &*process_ : nullptr; }

  const PythonEnvironment& python() override {
    if (!python_) {
      auto found = find_target_python(run_.query, run_.store.packages);
      if (!found) no_python_ = found.error();
      python_ = found ? std::move(*found) : PythonEnvironment{};
      python_->complete &= !no_python_;
      enter_world(run_.world, *python_);
      assume_there(run_.session.assumed, *python_);
    }
    return *python_;
  }

  void take_from_pools() override {
    if (!run_.has_folders_of_packages()) return;
    auto python = find_target_python(run_.query, run_.store.packages);
    take_from_folders(run_, python ? std::move(*python) : PythonEnvironment{}, false);
  }

  std::vector<std::string> modules_named(const std::string& given, bool is_file) override {
    if (given.starts_with("py:")) return modules_or_name(without_mark(given), python(), run_.store.packages);
    if (is_file && given.ends_with(".py")) return module_of_script(run_.absolute(given));
    if (given.find('/') != std::string::npos || !is_distribution_name(given)) return {};
    // A folder that was given counts for more than PATH; the active environment for less.
    const bool stated = run_.query.prefix || !run_.store.packages.packages().empty();
    if (is_file && (!stated || exists(given))) return {};
    return modules_called(given, python(), run_.store.packages);
  }

  std::vector<std::string> programs_named(const std::string& given) override {
    std::vector<std::string> programs;
    if (given.find('/') != std::string::npos || !is_distribution_name(given)) return programs;
    for (const auto& folder : python().path) {
      if (!folder.ends_with("-packages")) continue;
      for (auto& path : programs_of_distribution(run_.store.packages, folder, given)) {
        const auto& opened = run_.store.images.open(path);
        if (!opened.error && is_linux_program(*opened.image)) programs.push_back(std::move(path));
      }
    }
    return programs;
  }

  Error no_module(const std::string& given) override {
    const auto name = without_mark(given);
    const auto why = python().path.empty() && no_python_
                         ? no_python_->message
                         : "no such module is there" + did_you_mean(near_name(name, python(), run_.store.packages));
    return {ErrorCode::absent, why, given};
  }

  Result<PackageFiles> files_of(const std::string& given, const Package& package) override {
    PackageFiles files;
    const auto& asked_for = run_.query.environment.machine;
    const auto* abi = abi_of_tags(package.tags, asked_for);
    if (asked_for && abi != nullptr && abi->machine != *asked_for)
      return not_loadable(given, for_other_machine("by its platform tag for ", abi->machine, *asked_for));
    bool damaged = false, windows = false;
    for (const auto& path : package.libraries) {
      const auto& opened = run_.store.images.open(path);
      damaged |= opened.error && opened.error->code == ErrorCode::malformed;
      windows |= opened.image && opened.image->is_pe();
      if (opened.error || !opened.image->is_elf() || opened.image->type != FileType::shared) continue;
      (is_module(path) ? files.modules : files.libraries).push_back(path);
      const bool fits = abi == nullptr || opened.image->machine == abi->machine;
      if (!files.typical && fits && machine_number(machine_name(opened.image->machine))) files.typical = opened.image;
    }
    // An installer goes by the tag: what is for another machine, or for none, is installed on the one that it names.
    if (!files.typical && !(files.modules.empty() && files.libraries.empty())) files.typical = image_for(abi);
    for (const auto& path : package.programs) {
      const auto& opened = run_.store.images.open(path);
      if (!opened.error && is_linux_program(*opened.image)) files.programs.push_back(path);
    }
    const bool nothing_compiled = package.libraries.empty() && package.unusable.empty();
    if (files.typical || !files.programs.empty() || nothing_compiled) return files;
    if (windows)
      return not_loadable(
          given, "made for Windows (its libraries are PE files): it cannot be loaded together with the others");
    if (damaged) return not_loadable(given, "holds no shared library that can be unpacked");
    return Error{ErrorCode::absent, "holds no shared library that could be judged", given};
  }

  void add_file(const std::string& given, const std::optional<std::string>& path) override {
    if (!process_ && path && is_of_no_machine(run_.absolute(*path)))
      start_neutral(*find_abi(EM_X86_64, Format::elf64, ByteOrder::little), nullptr);
    if (process_) {
      process_->dlopen(given, {.name = path.value_or(given)}, 0);
    } else if (path) {
      start(given, *path);
    } else {
      start_by_name(given);
    }
  }

  std::optional<Error> start_python(const std::string& given, const Image* like) override {
    if (!python().interpreter.empty()) {
      const auto& opened = run_.store.images.open(python().interpreter);
      if (!refusal(python().interpreter, opened, run_.query.environment, run_.store.images)) {
        start(python().interpreter, python().interpreter);
        return std::nullopt;
      }
    }
    if (like != nullptr && !machine_number(machine_name(like->machine))) like = nullptr;
    const auto machine = like != nullptr ? like->machine : run_.query.environment.machine.value_or(EM_X86_64);
    const auto* abi = like != nullptr ? find_abi(machine, like->format, like->byte_order)
                                      : find_abi(machine, Format::elf64, ByteOrder::little);
    if (abi == nullptr)
      return not_loadable(given, "made for " + machine_name(machine) + ", a machine whose loader is not simulated");
    start_neutral(*abi, like);
    return std::nullopt;
  }

  std::string import(const std::string& module) override {
    return import_module(module, python(), run_.store.packages, run_.session.shared, run_.python_cost,
                         *run_.store.knowledge, run_.session.refused_loads, run_.store.symbols, *process_);
  }

  void load_file(const std::string& path, const DlopenRequest& call) override { process_->dlopen(path, call, 0); }

  std::optional<FailedProgram> try_program(const std::string& path) override {
    const auto& opened = run_.store.images.open(path);
    if (auto error = refusal(path, opened, run_.query.environment, run_.store.images))
      return FailedProgram{path, "", error->message};
    auto process = make_process(*opened.image, run_.query.environment);
    process.start(path, path, interpreter_for(*opened.image));
    const auto resolution = process.take();
    const auto& error = resolution.targets.front().error;
    if (error.empty()) return std::nullopt;
    for (const auto& object : resolution.objects)
      for (const auto& edge : object.edges)
        if (edge.hard && !edge.object && edge.error == error) return FailedProgram{path, edge.name, error};
    return FailedProgram{path, "", error};
  }

  void call(const DlopenRequest& call) override {
    const auto caller = call.caller.empty() ? std::optional<ObjectId>(0) : process_->find(call.caller);
    if (caller) {
      process_->dlopen(call.name, call, *caller);
    } else {
      process_->refuse(
          call.name,
          {ErrorCode::usage, "nothing of the name " + call.caller + " is loaded that could call dlopen", call.caller});
    }
  }

  /// The process itself makes these requests, as each file is mapped.
  std::set<std::string> load_later(const Package*) override { return {}; }
  std::optional<SymbolReport> symbols() override { return std::nullopt; }

 private:
  /// A script is judged by what it imports: as a module, with its directory first in sys.path, as Python starts it.
  /// Empty where no Python is known, or none could import a file of that name.
  std::vector<std::string> module_of_script(const std::string& path) {
    auto module = std::string(file_name(path).substr(0, file_name(path).size() - 3));
    if (python().path.empty() || !is_module_name(module) || module.starts_with("__")) return {};
    const std::string folder(parent_path(path));
    auto& search = python_->path;
    std::erase(search, folder);
    search.insert(search.begin(), folder);
    return {std::move(module)};
  }

  /// Whether the process is one of musl: as was stated, as the world is, else as the file asks.
  bool is_musl(const Image* like) const {
    if (const auto& stated = run_.query.environment.libc) return stated->kind == LibcKind::musl;
    if (run_.session.facts) return run_.session.facts->version.kind == LibcKind::musl;
    return like != nullptr && (wants_musl(*like) || is_started_by_musl(*like));
  }

  /// The loader that a program names may be a link to musl's, as /lib64/ld-linux-x86-64.so.2 of Alpine's libc6-compat.
  bool is_started_by_musl(const Image& program) const {
    if (!program.elf.interpreter) return false;
    const auto& opened = run_.store.images.open(run_.absolute(*program.elf.interpreter));
    if (opened.error || !opened.image->is_elf()) return false;
    const auto name = file_name(opened.real_path);
    const auto& soname = opened.image->soname;
    // That of glibc is called ld.so; a libc.so that can be started is musl's.
    return name.starts_with("ld-musl") || name == "libc.so" || (soname && soname->starts_with("libc.musl-"));
  }

  /// By its name; of a bare "x.so" by the function through which Python enters it.
  bool is_module(const std::string& path) {
    if (!is_extension_module(path)) return false;
    const auto name = file_name(path);
    if (has_python_suffix(name)) return true;
    const auto& opened = run_.store.images.open(path);
    Object object;
    object.path = path;
    object.image = opened.image;
    const std::string module(name.substr(0, name.find('.')));
    const auto init = "PyInit_" + module, slots = "PyModExport_" + module;  // the latter since 3.15 (PEP 793)
    bool found = false, any = false;
    run_.store.symbols.get(object)->visit_all([&](std::string_view symbol, std::uint16_t, bool defined) {
      any |= defined;
      found |= defined && (symbol == init || symbol == slots);
    });
    return found || !any;
  }

  /// A file for the machine that a tag names; x86-64 where it names none.
  static std::shared_ptr<const Image> image_for(const Abi* abi) {
    auto image = std::make_shared<Image>();
    image->machine = abi != nullptr ? abi->machine : EM_X86_64;
    image->format = abi != nullptr ? abi->format : Format::elf64;
    image->byte_order = abi != nullptr ? abi->byte_order : ByteOrder::little;
    return image;
  }

  /// Whether no machine has the number that an ELF file is for: no loader takes it.
  bool is_of_no_machine(const std::string& path) const {
    const auto& opened = run_.store.images.open(path);
    return !opened.error && opened.image->is_elf() && !machine_number(machine_name(opened.image->machine));
  }

  /// A program that needs nothing itself.
  void start_neutral(const Abi& abi, const Image* like) {
    const bool musl = is_musl(like);
    const auto interpreter = interpreter_of({}, abi, musl);
    process_.emplace(run_.store.images, run_.session.loader(interpreter, abi, musl, run_.query.environment),
                     run_.query.environment, *run_.store.knowledge);
    process_->start_host(neutral_python, abi.machine, abi.format, interpreter);
  }

  bool exists(const std::string& given) const { return run_.store.packages.status(run_.absolute(given)).has_value(); }

  void start(const std::string& given, const std::string& path) {
    const auto& opened = run_.store.images.open(run_.absolute(path));
    if (auto error = refusal(given, opened, run_.query.environment, run_.store.images)) {
      run_.refuse(given, std::move(*error));
      return;
    }
    auto secure = why_secure(opened);
    if (!secure) {
      run_.refuse(given, secure.error());
      return;
    }
    environment_ = run_.query.environment;
    environment_.secure |= !secure->empty();
    process_.emplace(make_process(*opened.image, environment_));
    process_->note_secure(std::move(*secure));
    process_->start(given, path, interpreter_for(*opened.image));
  }

  /// Of a program; a library that is started by ld.so gives no rights.
  Result<std::string> why_secure(const OpenedFile& program) const {
    const auto user = user_of(run_.query.environment, run_.store.images.files());
    if (!user) return user.error();
    return program.image->elf.interpreter ? cudald::why_secure(program, *user) : std::string();
  }

  const Abi& abi_of(const Image& image) const { return *find_abi(image.machine, image.format, image.byte_order); }
  std::string interpreter_for(const Image& image) const {
    return interpreter_of(image, abi_of(image), is_musl(&image));
  }

  Process make_process(const Image& program, const Environment& environment) {
    const auto& loader = run_.session.loader(interpreter_for(program), abi_of(program), is_musl(&program), environment);
    return Process(run_.store.images, loader, environment, *run_.store.knowledge);
  }

  /// A bare library name with nothing loaded yet: found as a dlopen of a program without search paths of its own.
  void start_by_name(const std::string& given) {
    const auto machine = run_.query.environment.machine.value_or(EM_X86_64);
    const auto* abi = find_abi(machine, Format::elf64, ByteOrder::little);
    const bool musl = is_musl(nullptr);
    if (abi != nullptr) {
      const auto interpreter = interpreter_of({}, *abi, musl);
      const auto& loader = run_.session.loader(interpreter, *abi, musl, run_.query.environment);
      Resolution nobody;
      nobody.objects.emplace_back();
      nobody.objects.front().image = std::make_shared<Image>();
      const auto plan = loader.candidates({given, EdgeKind::dlopen, 0, true}, nobody);
      for (const auto& candidate : plan.candidates) {
        const auto& opened = run_.store.images.open(run_.absolute(candidate.path));
        if (loader.judge(opened, {given, EdgeKind::dlopen, 0, true}).action != Judgement::Action::take) continue;
        start(given, candidate.path);
        return;
      }
    }
    run_.refuse(
        given, {ErrorCode::absent, "not found: no file, library or module of that name" + not_in_python(given), given});
  }

  /// What is said of the Python that was asked for a name, and does not know it.
  std::string not_in_python(const std::string& given) {
    if (!is_distribution_name(given)) return run_.query.prefix ? "; nor is it in " + *run_.query.prefix : "";
    const auto& asked = python();
    if (asked.path.empty()) return no_python_ ? "; " + no_python_->message : "";
    const auto& place = asked.interpreter.empty() ? asked.prefix : asked.interpreter;
    return "; " + place + " has no module or package of that name" +
           did_you_mean(near_name(given, asked, run_.store.packages));
  }

  RunState& run_;
  std::optional<PythonEnvironment> python_;
  std::optional<Error> no_python_;  ///< why none is there
  Environment environment_;         ///< of the process, which refers to it
  std::optional<Process> process_;
};

}  // namespace

std::unique_ptr<Platform> make_linux_platform(RunState& run) { return std::make_unique<LinuxPlatform>(run); }

}  // namespace cudald

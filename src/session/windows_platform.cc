#include <elf.h>

#include <algorithm>

#include <cudald/image.h>

#include "audit/policy.h"
#include "base/path.h"
#include "base/similar_word.h"
#include "base/windows_path.h"
#include "knowledge/known_dlopens.h"
#include "loader/windows/python_on_windows.h"
#include "process/windows_process.h"
#include "session/platform.h"
#include "session/shared_readings.h"
#include "session/target_python.h"
#include "session/windows_import.h"
#include "session/windows_world.h"

namespace cudald {
namespace {

bool is_windows_program(const Image& image) { return (image.pe->characteristics & pe_dll) == 0; }

bool is_extension(const std::string& path) { return folded(path).ends_with(".pyd"); }

class WindowsPlatform final : public Platform {
 public:
  explicit WindowsPlatform(RunState& run) : run_(run) {}

  Walk* process() override { return process_ ? &*process_ : nullptr; }

  const PythonEnvironment& python() override {
    if (!python_) python_ = find_windows_world(run_.query, run_.store, {true, "", usual_machine()}).python;
    return *python_;
  }

  void take_from_pools() override {
    if (!run_.has_folders_of_packages()) return;
    auto world = find_windows_world(run_.query, run_.store, {true, "", usual_machine()});
    // Where nothing says which Python it is, the wheels do.
    const bool said = run_.query.prefix || !run_.query.python.empty() || names_python();
    if (!said) world.python.version.clear();
    take_from_folders(run_, std::move(world.python), true);
  }

  // A file of the same name does not count: without a suffix it is none that Windows loads.
  std::vector<std::string> modules_named(const std::string& given, bool) override {
    if (given.starts_with("py:")) return modules_or_name(without_mark(given), python(), run_.store.packages);
    const bool stated =
        run_.query.prefix || !run_.store.packages.packages().empty() || asks_about_this_windows(run_.query);
    if (!stated || given.find('/') != std::string::npos) return {};
    return modules_called(given, python(), run_.store.packages);
  }

  std::vector<std::string> programs_named(const std::string&) override { return {}; }

  Error no_module(const std::string& given) override {
    const auto name = without_mark(given);
    return not_loadable(given,
                        python().path.empty() && asks_about_this_windows(run_.query)
                            ? "no Python is active, on PATH or in the registry; name one: --prefix DIR"
                        : python().path.empty()
                            ? "no Python of Windows is given: --prefix DIR, or --with WHEEL"
                            : "no such module is there" + did_you_mean(near_name(name, python(), run_.store.packages)));
  }

  Result<PackageFiles> files_of(const std::string& given, const Package& package) override {
    PackageFiles files;
    std::string unfit;
    const auto machine = machine_of(package);
    for (const auto& path : package.libraries) {
      const auto& opened = run_.store.images.open(path);
      if (opened.error || !opened.image->is_pe()) continue;
      // Beside those for its own machine a package may carry files for others, which its process does not load.
      if (machine && opened.image->machine != *machine && !is_windows_program(*opened.image)) continue;
      if (auto why = refusal(opened); !why.empty()) {
        unfit = std::move(why);
        continue;
      }
      if (is_extension(path) && is_for_other_python(path)) {
        unfit = "its extension modules are for other Pythons than " + python().version;
        continue;
      }
      auto& list = is_windows_program(*opened.image) ? files.programs
                   : is_extension(path)              ? files.modules
                                                     : files.libraries;
      list.push_back(path);
    }
    if (files.modules.empty() && files.libraries.empty()) {
      const bool nothing_compiled = package.libraries.empty() && package.unusable.empty();
      if (files.programs.empty() && !nothing_compiled)
        return not_loadable(given, unfit.empty() ? "holds no DLL that could be judged" : unfit);
      return files;
    }
    files.typical = run_.store.images.open((files.modules.empty() ? files.libraries : files.modules).front()).image;
    return files;
  }

  void add_file(const std::string& given, const std::optional<std::string>& found) override {
    if (!found) {
      if (asks_about_this_windows(run_.query) && given.find('.') == std::string::npos) {
        run_.refuse(given, {ErrorCode::absent, "no file, library or module of this name is here", given});
        return;
      }
      if (!process_) start_host(neutral_image(), "");
      load_by_name(given, {});
      return;
    }
    const auto path = normal_path(run_.absolute(*found));
    const auto& opened = run_.store.images.open(path);
    if (const auto why = refusal(opened); !why.empty()) {
      run_.refuse(given, not_loadable(given, why));
    } else if (!process_ && is_windows_program(*opened.image)) {
      const std::string folder(parent_path(path));
      begin(find_windows_world(run_.query, run_.store, {false, folder, opened.image->machine}).host);
      process_->start(given, path);
    } else {
      // Of an extension module, and of what ctypes says that it could not load, Python is the program.
      if (!process_ && (is_extension(path) || is_said_by_ctypes()))
        start_python(given, opened.image.get());
      else if (!process_)
        start_host(*opened.image, std::string(parent_path(path)));
      load(given, path, {});
    }
  }

  bool is_said_by_ctypes() const { return run_.query.message && run_.query.message->who.starts_with("ctypes"); }

  /// python.exe of the prefix, or a neutral program for DLLs like `like`.
  std::optional<Error> start_python(const std::string&, const Image* like) override {
    const auto image = like != nullptr ? *like : neutral_image();
    auto world = find_windows_world(run_.query, run_.store, {true, "", image.machine});
    if (const auto program = world.python.interpreter; is_program_at(program)) {
      const auto& opened = run_.store.images.open(program);
      if (auto why = refusal(opened); !why.empty()) return not_loadable(program, why);
      // Its process is of its own machine, whatever it is to load: that decides which names modules have.
      if (opened.image->machine != image.machine)
        world = find_windows_world(run_.query, run_.store, {true, "", opened.image->machine});
    }
    python_ = world.python;
    enter_world(run_.world, *python_);
    assume_there(run_.session.assumed, *python_);
    run_.notes.insert(run_.notes.end(), world.notes.begin(), world.notes.end());
    const auto program = world.host.application + "\\python.exe";
    begin(std::move(world.host));
    const auto& interpreter = python_->interpreter;
    if (is_program_at(interpreter))
      process_->start(interpreter, interpreter);
    else
      process_->start_host(neutral_python, program, image, dlls_of_python(process_->host().python_minor));
    return std::nullopt;
  }

  std::string import(const std::string& module) override {
    return import_on_windows(module, python(), run_.store.packages, run_.session.shared, run_.python_cost,
                             *run_.store.knowledge, *process_);
  }

  void load_file(const std::string& path, const DlopenRequest& call) override { load(path, path, call); }
  std::optional<FailedProgram> try_program(const std::string& path) override {
    const auto& image = *run_.store.images.open(path).image;
    auto world = find_windows_world(run_.query, run_.store, {false, std::string(parent_path(path)), image.machine});
    WindowsProcess process(run_.store.images, std::move(world.host), run_.query.symbols != SymbolCheck::none);
    process.start(path, path);
    const auto resolution = process.take();
    const auto& error = resolution.targets.front().error;
    if (error.empty()) return std::nullopt;
    for (const auto& object : resolution.objects)
      for (const auto& edge : object.edges)
        if (edge.hard && !edge.object) return FailedProgram{path, edge.name, error};
    return FailedProgram{path, "", error};
  }
  void call(const DlopenRequest& call) override {
    // A path of the tree: Windows spells it with a drive.
    const auto path = normal_path(call.name);
    if (call.name.starts_with('/') && is_file(run_.store.images.files(), path))
      load_as_called(call.name, process_->tree().spelled(path), call);
    else
      load_as_called(call.name, call.name, call);
  }

  std::set<std::string> load_later(const Package* package) override {
    std::set<std::string> files;
    for (const auto& asker : files_with_known_loads(*run_.store.knowledge)) {
      const auto site = std::find_if(python().path.begin(), python().path.end(), [&](const std::string& folder) {
        return is_file(run_.store.packages, folder + "/" + asker);
      });
      if (site == python().path.end()) continue;
      const auto place = *site + "/" + asker;
      const bool concerned = package != nullptr ? run_.store.packages.package_of(place) == package
                                                : has_mapped_below(std::string(parent_path(place)));
      if (!concerned || !told_.insert(place).second) continue;
      for (auto& known : known_loads(asker, *site, run_.store.packages, *run_.store.knowledge)) {
        if (known.call.name != place) known.call.traits.asked_at = run_.store.packages.shown(place);
        if (known.by_path) files.insert(known.call.name);
        WindowsLoadFlags flags;
        flags.altered_search_path = known.altered_search_path;
        const auto name = known.by_path ? process_->tree().spelled(known.call.name) : known.call.name;
        process_->load(known.call.name, name, flags, WindowsCaller::program, known.call);
      }
    }
    return files;
  }

  std::optional<SymbolReport> symbols() override {
    if (run_.query.symbols == SymbolCheck::none) return std::nullopt;
    return process_->take_symbols();
  }

 private:
  /// Of the files in which a package differs: that which its tag names, or x86-64, if some DLL is for that one.
  std::optional<std::uint16_t> machine_of(const Package& package) {
    std::uint16_t wanted = EM_X86_64;
    for (const auto& tag : tags_of(package).platform)
      if (tag.starts_with("win")) wanted = tag == "win32" ? EM_386 : tag == "win_arm64" ? EM_AARCH64 : EM_X86_64;
    if (const auto& stated = run_.query.environment.machine) wanted = *stated;
    const bool has = std::any_of(package.libraries.begin(), package.libraries.end(), [&](const std::string& path) {
      const auto& opened = run_.store.images.open(path);
      return !opened.error && opened.image->is_pe() && !is_windows_program(*opened.image) &&
             opened.image->machine == wanted;
    });
    return has ? std::optional(wanted) : std::nullopt;
  }

  /// Whether a package is made for one Python.
  bool names_python() const {
    const auto& packages = run_.store.packages.packages();
    return std::any_of(packages.begin(), packages.end(),
                       [](const Package& package) { return !version_of_tags(package.tags).empty(); });
  }

  /// Whether a module is one for another Python, "m.cp310-win_amd64.pyd" in 3.11, which that never looks at.
  /// Source: CPython Python/dynload_win.c, _PyImport_DynLoadFiletab.
  bool is_for_other_python(const std::string& path) {
    const auto name = file_name(path);
    const auto tag = name.find(".cp3");
    if (tag == std::string_view::npos) return false;
    const auto rest = name.substr(tag + 4);
    const auto own = python().version.substr(std::min<std::size_t>(2, python().version.size()));
    return rest.substr(0, rest.find('-')) != own;
  }

  /// Why a file is nothing for this process; empty if it is.
  std::string refusal(const OpenedFile& opened) const {
    if (opened.error) return opened.error->message;
    const auto& image = *opened.image;
    if (!image.is_pe()) return "not a PE file, as the others are";
    const auto& wanted = run_.query.environment.machine;
    if (!wanted || image.machine == *wanted) return "";
    return "made for " + machine_name(image.machine) + ", not for the " + machine_name(*wanted) + " that was asked for";
  }

  /// The one that was asked for, else that of most.
  std::uint16_t usual_machine() const { return run_.query.environment.machine.value_or(EM_X86_64); }

  Image neutral_image() const {
    Image image;
    image.machine = usual_machine();
    image.format = image.machine == EM_386 ? Format::pe32 : Format::pe32_plus;
    return image;
  }

  bool is_program_at(const std::string& path) {
    if (path.empty()) return false;
    const auto& opened = run_.store.images.open(path);
    return !opened.error && opened.image->is_pe() && is_windows_program(*opened.image);
  }

  void begin(WindowsHost host) {
    host.fresh = run_.session.fresh_windows;
    run_.session.windows = host;
    process_.emplace(run_.store.images, std::move(host), run_.query.symbols != SymbolCheck::none);
  }

  /// The process of a neutral program in `folder` that loads DLLs like `like`.
  void start_host(const Image& like, const std::string& folder) {
    auto world = find_windows_world(run_.query, run_.store, {false, folder, like.machine});
    const auto program = world.host.application + "\\(the program that loads it)";
    if (!folder.empty())
      run_.notes.push_back("assumed: the program that loads it is in the same directory and calls LoadLibrary");
    begin(std::move(world.host));
    process_->start_host("(a neutral program)", program, like);
  }

  void load_by_name(const std::string& name, const DlopenRequest& call) {
    process_->load(name, name, {}, WindowsCaller::program, call);
  }

  /// By its name a file tells who loads it: Python, also inside a frozen program, what ends in .pyd, Node what ends in
  /// .node, and Strawberry Perl what ends in .xs.dll; by its directory, .NET. Sources: CPython Python/dynload_win.c;
  /// libuv src/win/dl.c, uv_dlopen; Perl win32/win32.c, win32_dynaload; dotnet/runtime
  /// src/coreclr/vm/nativelibrary.cpp.
  void load_as_called(const std::string& given, const std::string& name, const DlopenRequest& call) {
    WindowsLoadFlags flags;
    const bool module = folded(name).ends_with(".pyd");
    if (module) flags = python_load_flags(python_minor_for(name), process_->host().conda);
    const auto folder = folded(std::string(windows_folder(name)));
    const bool of_dotnet = folder.find("\\runtimes\\") != std::string::npos && folder.ends_with("\\native");
    if (of_dotnet || folded(name).ends_with(".node") || folded(name).ends_with(".xs.dll"))
      flags.altered_search_path = true;
    process_->load(given, name, flags, module ? WindowsCaller::python_import : WindowsCaller::program, call);
  }

  /// That of the process, else of the python3X.dll that a module imports, else a present one.
  int python_minor_for(const std::string& module) {
    constexpr int present = 13;
    if (const auto own = process_->host().python_minor; own != 0) return own;
    const auto path = process_->tree().find(module);
    const auto& opened = run_.store.images.open(path.value_or(module));
    if (opened.error || !opened.image->pe) return present;
    for (const auto& import : opened.image->pe->imports)
      if (const auto minor = python_minor_of_dll(import.name); minor != 0) return minor;
    return present;
  }

  /// As Python would: extension modules are imported, other DLLs loaded by ctypes. Without Python, by LoadLibrary.
  void load(const std::string& given, const std::string& path, const DlopenRequest& call) {
    const auto& host = process_->host();
    const auto name = process_->tree().spelled(path);
    if (host.python_minor == 0) {
      process_->load(given, name, {}, WindowsCaller::program, call);
      return;
    }
    const bool module = is_extension(path);
    const auto flags =
        module ? python_load_flags(host.python_minor, host.conda) : ctypes_load_flags(host.python_minor, name);
    process_->load(given, name, flags, module ? WindowsCaller::python_import : WindowsCaller::ctypes, call);
  }

  bool has_mapped_below(const std::string& folder) const {
    const auto& objects = process_->resolution().objects;
    return std::any_of(objects.begin(), objects.end(),
                       [&](const Object& object) { return !object.unmapped && object.path.starts_with(folder + "/"); });
  }

  RunState& run_;
  std::optional<PythonEnvironment> python_;
  std::optional<WindowsProcess> process_;
  std::set<std::string> told_;  ///< files whose later loads are told
};

}  // namespace

std::unique_ptr<Platform> make_windows_platform(RunState& run) { return std::make_unique<WindowsPlatform>(run); }

}  // namespace cudald

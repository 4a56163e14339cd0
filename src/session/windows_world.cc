#include "session/windows_world.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/windows_host_file.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "os/this_windows.h"
#include "pyimport/environment/environment_files.h"
#include "session/target_python.h"

namespace cudald {
namespace {

constexpr int usual_python = 11;

/// Beside a Python that is there, wheels have a folder of their own.
constexpr std::string_view wheels_folder = "C:\\Wheels";

/// The machine's drives, which outlive the question how Python code sees them.
struct Drives {
  WindowsHost host;
  WindowsTree tree;
  Drives(ImageStore& images, WindowsHost given) : host(std::move(given)), tree(images, host) {}
};

/// 22631 of "10.0.22631" or "10.0.22631.4169"; 0 of other texts.
int build_of(const std::string& version) {
  const auto parts = split(version, ".");
  int build = 0;
  if (parts.size() > 2) std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), build);
  return build;
}

/// A process of this machine has all its variables, but for those that are stated. Names have no case.
std::map<std::string, std::string> variables_here(const Environment& environment) {
  auto variables = environment.variables;
  for (const auto& stated : environment.stated) {
    std::erase_if(variables, [&](const auto& known) { return folded(known.first) == folded(stated.first); });
    variables.insert(stated);
  }
  return variables;
}

class WorldFinder {
 public:
  WorldFinder(const Query& query, Store& state, const WindowsStart& start)
      : query_(query),
        state_(state),
        start_(start),
        with_wheels_(!state.packages.packages().empty()),
        here_(asks_about_this_windows(query) ? this_windows() : nullptr),
        stated_(here_ != nullptr ? variables_here(query.environment) : query.environment.stated) {}

  WindowsWorld find() {
    auto& host = world_.host;
    const auto system = here_ == nullptr ? system_of_tree() : "";
    host = here_ != nullptr ? windows_here(query_.environment, *here_)
                            : neutral_windows(query_.environment, !system.empty());
    // Each Windows that has API sets says in this file what they stand for.
    host.partial = !system.empty() && !has(system, "apisetschema.dll");
    if (here_ == nullptr && is_copy_of_drive()) host.mounts = {{"C:", "/"}};
    host.wide = start_.machine != EM_386;
    host.arm = start_.machine == EM_AARCH64;
    add_stated_path();
    if (query_.windows_host) take_described(*query_.windows_host);
    if (here_ == nullptr && query_.sysroot == "/") take_drives();
    if (start_.python || with_wheels_) find_python();
    const WindowsTree tree(state_.images, host);
    // The folder in which a wheel lies says nothing of where Python will run.
    if (!with_wheels_) host.current = tree.spelled(query_.environment.cwd);
    if (!start_.python && !start_.folder.empty()) host.application = tree.spelled(start_.folder);
    if (!start_.python && (!start_.folder.empty() || !with_wheels_)) host.python_minor = 0;
    for (auto* folders : {&host.path, &host.user_folders})
      for (auto& each : *folders)
        if (!is_full_windows_path(each)) each = tree.spelled(normal_path(absolute(each)));
    if (host.conda) add_conda_folders();
    world_.python.variables = variables();
    world_.python.windows = windows_python();
    world_.python.narrow = !host.wide;
    // Of packages alone nothing says where their user stands: in a directory that is none of theirs.
    world_.python.cwd = host.current.empty() ? world_.python.variables["USERPROFILE"] : host.current;
    return std::move(world_);
  }

 private:
  std::string absolute(const std::string& path) const { return absolute_path(path, query_.environment.cwd); }

  /// System32 of a copy of Windows; empty where the tree has none, or hardly more than the directory.
  std::string system_of_tree() const {
    if (query_.sysroot == "/") return "";
    for (const auto* windows : {"/Windows", "/windows", "/WINDOWS"})
      for (const auto* system : {"/System32", "/system32", "/SYSTEM32"})
        if (const auto folder = std::string(windows) + system; has(folder, "kernel32.dll") || has(folder, "ntdll.dll"))
          return folder;
    return "";
  }

  bool has(const std::string& folder, std::string_view name) const {
    const auto& entries = state_.images.list(folder);
    return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) { return folded(entry) == name; });
  }

  /// Whether a tree is a copy of a drive C:, or of a part of one, as of what a user has.
  bool is_copy_of_drive() const {
    if (query_.sysroot == "/") return false;
    const auto& entries = state_.images.list("/");
    constexpr std::string_view usual[] = {"windows", "users", "program files", "program files (x86)"};
    return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
      return std::find(std::begin(usual), std::end(usual), folded(entry)) != std::end(usual);
    });
  }

  /// On Windows, files that are asked about are on the drives of this machine, whichever machine is meant; the Windows
  /// of that one is not there.
  void take_drives() {
    const auto* own = this_windows();
    if (own == nullptr) return;
    auto& host = world_.host;
    host.mounts = windows_here(query_.environment, *own).mounts;
    host.mounts.insert(host.mounts.begin(), {host.windows, "/no Windows"});
  }

  /// Of the described machine all but its Python counts; that does if no other is given.
  void take_described(const WindowsHostFile& described) {
    auto& host = world_.host;
    host.described = query_.windows_host;
    host.windows = described.windows;
    host.path.insert(host.path.end(), described.path.begin(), described.path.end());
    for (const auto& [name, value] : described.variables) stated_.emplace(name, value);
    if (query_.prefix || described.python_folder.empty()) return;
    host.application = described.python_folder;
    host.python_minor = described.python_minor;
    host.conda = described.conda;
    host.python_has_files = described.knows(folded(host.application));
  }

  void add_stated_path() {
    for (const auto& [name, value] : stated_)
      if (folded(name) == "path")
        for (const auto folder : split(value, ";"))
          if (!folder.empty()) world_.host.path.emplace_back(folder);
  }

  /// What Python looks up in directories is spelled as Windows does it, where it is one of the tree.
  std::map<std::string, std::string> variables() {
    auto found = windows_variables(world_.host, stated_);
    const WindowsTree tree(state_.images, world_.host);
    for (const auto* name : {"PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE", "APPDATA"}) {
      const auto variable = found.find(name);
      if (variable == found.end() || variable->second.find('/') == std::string::npos) continue;
      std::vector<std::string> folders;
      for (const auto folder : split(variable->second, ";"))
        folders.push_back(folder.starts_with('/') ? tree.spelled(normal_path(std::string(folder)))
                                                  : std::string(folder));
      variable->second = fmt::format("{}", fmt::join(folders, ";"));
    }
    return found;
  }

  std::shared_ptr<const WindowsPython> windows_python() const {
    auto drives = std::make_shared<Drives>(state_.images, world_.host);
    auto windows = std::make_shared<WindowsPython>();
    windows->spelled = [drives](const std::string& path) { return drives->tree.spelled(path); };
    windows->find = [drives](const std::string& path) { return drives->tree.find(path); };
    windows->machine = processor_architecture(world_.host);
    windows->conda = world_.host.conda;
    if (const auto& described = world_.host.described) windows->build = build_of(described->build);
    if (!world_.host.build.empty()) windows->build = build_of(world_.host.build);
    return windows;
  }

  void find_python() {
    auto& host = world_.host;
    if (query_.prefix && !find_in_prefix(absolute(*query_.prefix)))
      world_.notes.push_back("--prefix names no Python of Windows: no python.exe and no python3N.dll is in " +
                             *query_.prefix);
    if (!query_.prefix && here_ != nullptr && !with_wheels_) find_active();
    if (!query_.python.empty()) host.python_minor = minor_of(query_.python);
    for (const auto& package : state_.packages.packages())
      if (host.python_minor == 0) host.python_minor = minor_of(version_of_tags(package.tags));
    if (host.python_minor == 0) host.python_minor = usual_python;
    auto& python = world_.python;
    python.version = "3." + std::to_string(host.python_minor);
    if (python.prefix.empty()) {
      if (host.application.empty()) host.application = python_folder(host.python_minor);
      python.prefix = python.base_prefix = PackageTree::prefix;
      python.complete = false;
      mount_wheels(host.application);
    } else if (with_wheels_) {
      mount_wheels(std::string(wheels_folder));
    }
    if (!with_wheels_) return;
    python.windows = windows_python();  // lines of .pth files are paths of Windows
    put_packages_first(state_.packages, python);
  }

  void mount_wheels(const std::string& folder) {
    world_.host.mounts.insert(world_.host.mounts.begin(),
                              {{folder + "\\Lib\\site-packages", std::string(PackageTree::site_packages)},
                               {folder, std::string(PackageTree::prefix)}});
  }

  /// The Python that a shell of this machine starts, else the newest that is installed. Source: PEP 514; those that
  /// Windows only offers to install are empty files in WindowsApps.
  void find_active() {
    WindowsTree tree(state_.images, world_.host);
    std::vector<std::string> folders;
    for (const auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (const auto value = query_.environment.variable(name); value && !value->empty()) folders.push_back(*value);
    for (const auto& folder : world_.host.path)
      if (!folded(folder).ends_with("\\windowsapps")) folders.push_back(folder);
    for (const auto& [version, folder] : here_->pythons) folders.push_back(folder);
    for (const auto& folder : folders) {
      if (!is_full_windows_path(folder)) continue;
      const auto full = normal_windows_path(folder), above = windows_folder(full);
      // Activation puts the Scripts of an environment on PATH.
      const bool in_environment = tree.find(windows_join(above, "pyvenv.cfg")).has_value();
      const auto prefix = tree.find(in_environment ? above : full);
      const bool has_python =
          tree.find(windows_join(full, "python.exe")) || tree.find(windows_join(full, "Scripts\\python.exe"));
      if (prefix && has_python && find_in_prefix(*prefix)) return;
    }
  }

  bool find_in_prefix(const std::string& prefix) {
    auto& host = world_.host;
    auto found = find_windows_python(prefix, state_.packages, windows_python(), variables());
    if (!found) return false;
    world_.python = std::move(found->environment);
    host.application = found->home;
    host.python_has_files = !world_.python.base_prefix.empty();
    host.python_minor = minor_of(world_.python.version);
    host.conda =
        is_folder(state_.packages, (host.python_has_files ? world_.python.base_prefix : prefix) + "/conda-meta");
    return true;
  }

  // Source: conda-forge/python-feedstock, Add-CondaEcosystemModifyDllSearchPath.patch: since 3.10 five folders of the
  // prefix are added as by os.add_dll_directory, the first of them searched first; before, PATH is searched, with these
  // folders at its front, and what code adds after it.
  void add_conda_folders() {
    auto& host = world_.host;
    std::vector<std::string> folders;
    for (const auto* name : {"Library\\mingw-w64\\bin", "Library\\usr\\bin", "Library\\bin", "Scripts", "bin"})
      folders.push_back(windows_join(host.application, name));
    auto& list = host.python_minor >= 10 ? host.user_folders : host.path;
    list.insert(host.python_minor >= 10 ? list.end() : list.begin(), folders.begin(), folders.end());
  }

  const Query& query_;
  Store& state_;
  const WindowsStart& start_;
  const bool with_wheels_;
  const ThisWindows* const here_;              ///< nullptr: the machine is another one
  std::map<std::string, std::string> stated_;  ///< variables
  WindowsWorld world_;
};

}  // namespace

bool asks_about_this_windows(const Query& query) {
  return this_windows() != nullptr && query.sysroot == "/" && query.world == WorldKind::here && !query.windows_host;
}

WindowsWorld find_windows_world(const Query& query, Store& state, const WindowsStart& start) {
  return WorldFinder(query, state, start).find();
}

}  // namespace cudald

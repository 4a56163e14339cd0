#include <algorithm>

#include "base/path.h"
#include "base/windows_path.h"
#include "pyimport/environment/environment_files.h"

namespace cudald {
namespace {

/// 11 for "python311.dll"; 0 for others, python3.dll among them.
int minor_of_dll(std::string_view name) {
  const auto text = folded(name);
  if (!text.starts_with("python3") || !text.ends_with(".dll") || text.size() < 12 || text.size() > 13) return 0;
  const auto digits = text.substr(7, text.size() - 11);
  return digits.find_first_not_of("0123456789") == std::string::npos ? std::atoi(digits.c_str()) : 0;
}

/// Looks below one folder, whatever the case of the names.
class Below {
 public:
  Below(const WindowsPython& windows, const std::string& folder)
      : windows_(windows), folder_(windows.spelled(folder)) {}
  /// Empty if nothing is there.
  std::string operator()(const std::string& name) const {
    return windows_.find(windows_join(folder_, name)).value_or("");
  }

 private:
  const WindowsPython& windows_;
  std::string folder_;
};

std::string version_of_prefix(const std::string& prefix, const FileSystem& files) {
  int newest = 0;
  if (const auto names = files.list(prefix))
    for (const auto& name : *names) newest = std::max(newest, minor_of_dll(name));
  return newest == 0 ? "" : "3." + std::to_string(newest);
}

/// Where `pip install --user` puts packages; empty if this process does not search it, or it is not there.
/// Source: CPython 3.11 Lib/site.py, check_enableusersite, _getuserbase and _get_path; PC/pyconfig.h, MS_DLL_ID.
std::string user_site_of_windows(const PythonEnvironment& environment) {
  if (environment.version.empty() || !variable_of(environment, "PYTHONNOUSERSITE").empty()) return "";
  auto base = variable_of(environment, "PYTHONUSERBASE");
  if (const auto data = variable_of(environment, "APPDATA"); base.empty() && !data.empty())
    base = windows_join(data, "Python");
  if (base.empty()) return "";
  const auto& machine = environment.windows->machine;
  const auto* end = machine == "x86" ? "-32" : machine == "ARM64" ? "-arm64" : "";
  return environment.windows
      ->find(windows_join(base, "Python3" + environment.version.substr(2) + end + "\\site-packages"))
      .value_or("");
}

/// Whether a file beside a Python lists the directories that are searched, and nothing else counts.
/// Source: CPython 3.11 Modules/getpath.py, "CHECK FOR ._PTH FILE".
bool has_fixed_path(const Below& in_base, const std::string& version) {
  if (version.empty()) return false;
  return !in_base("python._pth").empty() || !in_base("python3" + version.substr(2) + "._pth").empty();
}

/// The directories that PYTHONHOME puts in the place of the standard library's; nullopt if it does not count.
/// Source: CPython 3.11 Modules/getpath.py, ENV_PYTHONHOME; Python/codecs.c, init_fs_encoding.
std::optional<std::vector<std::string>> folders_of_home(const Below& in_base, PythonEnvironment& environment) {
  const auto value = variable_of(environment, "PYTHONHOME");
  if (value.empty() || environment.version.empty() || has_fixed_path(in_base, environment.version)) return std::nullopt;
  std::vector<std::string> folders;
  const auto& windows = *environment.windows;
  const auto parts = split(value, ";");
  if (auto compiled = windows.find(windows_join(std::string(parts.back()), "DLLs")))
    folders.push_back(std::move(*compiled));
  const auto library = windows.find(windows_join(std::string(parts.front()), "Lib"));
  if (library) folders.push_back(*library);
  const bool archive = !in_base("python3" + environment.version.substr(2) + ".zip").empty();
  environment.lost_home = !archive && (!library || !windows.find(windows_join(windows.spelled(*library), "encodings")));
  return folders;
}

/// ".cp311-win_amd64.pyd" and ".pyd"; none where the version is not known.
std::vector<std::string> suffixes_of(const PythonEnvironment& environment) {
  if (environment.version.empty()) return {};
  const auto& machine = environment.windows->machine;
  const auto* platform = machine == "x86" ? "win32" : machine == "ARM64" ? "win_arm64" : "win_amd64";
  return {".cp3" + environment.version.substr(2) + "-" + platform + ".pyd", ".pyd"};
}

/// The program of a Python that MinGW-w64 compiled, which has the directories of a POSIX system: bin/python.exe of
/// C:\\msys64\\mingw64. Empty if there is none.
std::string python_of_mingw(const std::string& prefix, const FileSystem& files) {
  for (const auto* name : {"/bin/python.exe", "/bin/python3.exe"})
    if (is_file(files, prefix + name)) return prefix + name;
  return "";
}

/// "3.12" of lib/python3.12, the newest of them; empty if there is none.
std::string version_of_mingw(const std::string& prefix, const FileSystem& files) {
  int newest = 0;
  if (const auto names = files.list(prefix + "/lib"))
    for (const auto& name : *names)
      if (name.starts_with("python3.")) newest = std::max(newest, minor_of(version_in(name)));
  return newest == 0 ? "" : "3." + std::to_string(newest);
}

/// The suffixes of extension modules: of later builds one that names the compiler's environment as well, which the
/// modules of the standard library have. Source: msys2-contrib/cpython-mingw pull request 3: before it
/// "-cpython-38.dll", "-abi3.dll", ".cp38.pyd" and ".pyd".
std::vector<std::string> suffixes_of_mingw(const std::string& library, const std::string& version,
                                           const FileSystem& files) {
  constexpr std::string_view module = "_ctypes", tag = ".cp3";
  std::vector<std::string> suffixes;
  if (const auto names = files.list(library + "/lib-dynload"))
    for (const auto& name : *names)
      if (name.starts_with(module) && name.ends_with(".pyd") && name.substr(module.size()).starts_with(tag))
        suffixes.push_back(name.substr(module.size()));
  const auto number = "3" + version.substr(2);
  for (const auto& each :
       {"-cpython-" + number + ".dll", std::string("-abi3.dll"), ".cp" + number + ".pyd", std::string(".pyd")})
    if (std::find(suffixes.begin(), suffixes.end(), each) == suffixes.end()) suffixes.push_back(each);
  return suffixes;
}

/// The directories of PYTHONPATH that are there.
void add_windows_python_path(PathBuilder& path, const PythonEnvironment& environment) {
  const auto at = environment.variables.find("PYTHONPATH");
  if (at == environment.variables.end()) return;
  for (const auto folder : split(at->second, ";"))
    if (const auto place = environment.windows->find(std::string(folder))) path.add(*place);
}

/// What is said where the standard library is not there.
void assume_library(PythonEnvironment& environment, const std::string& folder) {
  if (environment.complete) return;
  environment.notes.push_back("the standard library of Python is not in " + folder +
                              "; its modules are assumed present");
}

/// A Python of MSYS2, or a virtual environment of it. Source: CPython Modules/getpath.py, the part for POSIX, which
/// msys2-contrib/cpython-mingw takes on Windows; its Lib/site.py, getsitepackages.
std::optional<FoundWindowsPython> find_mingw_python(const std::string& prefix, const std::string& program,
                                                    const FileSystem& files,
                                                    std::shared_ptr<const WindowsPython> windows,
                                                    const std::map<std::string, std::string>& variables) {
  FoundWindowsPython found;
  auto& environment = found.environment;
  environment.prefix = environment.base_prefix = prefix;
  environment.variables = variables;
  environment.windows = windows;
  environment.interpreter = program;
  bool system_site = false;
  if (is_file(files, prefix + "/pyvenv.cfg")) {
    auto settings = read_settings(files, prefix + "/pyvenv.cfg");
    take_version(settings, environment);
    system_site = has_system_site(settings);
    auto home = settings["home"];
    std::replace(home.begin(), home.end(), '/', '\\');
    const auto bin = windows->find(home);
    const auto above = bin ? std::string(parent_path(*bin)) : "";
    const auto base = above.empty() ? "" : python_of_mingw(above, files);
    if (base.empty()) return std::nullopt;
    environment.base_prefix = above;
    environment.interpreter = base;
  }
  if (environment.version.empty()) environment.version = version_of_mingw(environment.base_prefix, files);
  if (environment.version.empty()) return std::nullopt;
  found.home = windows->spelled(std::string(parent_path(environment.interpreter)));
  const auto library = environment.base_prefix + "/lib/python" + environment.version;
  PathBuilder path(files, environment);
  add_windows_python_path(path, environment);
  for (const auto& folder : {library, library + "/lib-dynload"})
    if (is_folder(files, folder)) path.add(folder);
  for (const auto& each : {prefix, environment.base_prefix}) {
    const auto site = each + "/lib/python" + environment.version + "/site-packages";
    const bool counts = each == prefix || system_site;
    if (counts && is_folder(files, site)) path.add_site(site);
  }
  environment.extension_suffixes = suffixes_of_mingw(library, environment.version, files);
  environment.complete = is_file(files, library + "/os.py");
  assume_library(environment, windows->spelled(library));
  return found;
}

}  // namespace

bool is_windows_python(const std::string& prefix, const FileSystem& files) {
  const auto names = files.list(prefix);
  if (!names) return false;
  if (!python_of_mingw(prefix, files).empty()) return true;
  bool settings = false, scripts = false;
  for (const auto& entry : *names) {
    const auto name = folded(entry);
    if (name == "python.exe" || minor_of_dll(name) != 0) return true;
    settings = settings || name == "pyvenv.cfg";
    scripts = scripts || name == "scripts";
  }
  return settings && scripts;
}

// Source: CPython 3.11 Modules/getpath.py; Lib/site.py, getsitepackages; Lib/venv and PC/launcher.c for the base of a
// virtual environment, whose python.exe starts the one of its home.
std::optional<FoundWindowsPython> find_windows_python(const std::string& given, const FileSystem& files,
                                                      std::shared_ptr<const WindowsPython> windows,
                                                      const std::map<std::string, std::string>& variables) {
  const auto prefix = normal_path(given);
  if (!is_windows_python(prefix, files)) return std::nullopt;
  if (const auto program = python_of_mingw(prefix, files); !program.empty())
    return find_mingw_python(prefix, program, files, windows, variables);
  FoundWindowsPython found;
  auto& environment = found.environment;
  environment.prefix = environment.base_prefix = prefix;
  environment.variables = variables;
  environment.windows = windows;
  const Below in_prefix(*windows, prefix);

  bool system_site = true, virtual_environment = false;
  found.home = windows->spelled(prefix);
  if (const auto file = in_prefix("pyvenv.cfg"); !file.empty()) {
    virtual_environment = true;
    auto settings = read_settings(files, file);
    take_version(settings, environment);
    system_site = has_system_site(settings);
    found.home = settings["home"];
    environment.base_prefix = windows->find(found.home).value_or("");
  }
  const auto& base = environment.base_prefix;
  if (environment.version.empty()) environment.version = version_of_prefix(base.empty() ? prefix : base, files);

  const bool isolated = !base.empty() && has_fixed_path(Below(*windows, base), environment.version);
  PathBuilder path(files, environment);
  if (!isolated) add_windows_python_path(path, environment);
  if (!base.empty()) {
    const Below in_base(*windows, base);
    const auto home = folders_of_home(in_base, environment);
    for (const auto& folder : home.value_or(std::vector<std::string>())) path.add(folder);
    for (const auto* folder : {"DLLs", "Lib"})
      if (const auto place = in_base(folder); !home && !place.empty()) path.add(place);
    path.add(base);
    environment.interpreter = in_base("python.exe");
  }
  // What is installed in a virtual environment comes before the user's own packages, which others have first.
  const auto user = isolated ? std::string() : user_site_of_windows(environment);
  if (!virtual_environment && !user.empty()) path.add_site(user);
  path.add_site(prefix);
  if (const auto place = in_prefix("Lib\\site-packages"); !place.empty()) path.add_site(place);
  if (virtual_environment && system_site && !user.empty()) path.add_site(user);
  if (system_site && !base.empty())
    if (const auto place = Below(*windows, base)("Lib\\site-packages"); !place.empty()) path.add_site(place);

  environment.extension_suffixes = suffixes_of(environment);
  // Of modules that are nowhere a standard library that is not there may be the place.
  environment.complete = !base.empty() && !Below(*windows, base)("Lib\\os.py").empty();
  assume_library(environment, found.home);
  return found;
}

}  // namespace cudald

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

}  // namespace

bool is_windows_python(const std::string& prefix, const FileSystem& files) {
  const auto names = files.list(prefix);
  if (!names) return false;
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
  FoundWindowsPython found;
  auto& environment = found.environment;
  environment.prefix = environment.base_prefix = prefix;
  environment.variables = variables;
  environment.windows = windows;
  const Below in_prefix(*windows, prefix);

  bool system_site = true;
  found.home = windows->spelled(prefix);
  if (const auto file = in_prefix("pyvenv.cfg"); !file.empty()) {
    auto settings = read_settings(files, file);
    take_version(settings, environment);
    system_site = has_system_site(settings);
    found.home = settings["home"];
    environment.base_prefix = windows->find(found.home).value_or("");
  }
  const auto& base = environment.base_prefix;
  if (environment.version.empty()) environment.version = version_of_prefix(base.empty() ? prefix : base, files);

  PathBuilder path(files, environment);
  if (const auto at = variables.find("PYTHONPATH"); at != variables.end())
    for (const auto folder : split(at->second, ";"))
      if (const auto place = windows->find(std::string(folder))) path.add(*place);
  if (!base.empty()) {
    const Below in_base(*windows, base);
    for (const auto* folder : {"DLLs", "Lib"})
      if (const auto place = in_base(folder); !place.empty()) path.add(place);
    path.add(base);
    environment.interpreter = in_base("python.exe");
  }
  path.add_site(prefix);
  if (const auto place = in_prefix("Lib\\site-packages"); !place.empty()) path.add_site(place);
  if (system_site && !base.empty())
    if (const auto place = Below(*windows, base)("Lib\\site-packages"); !place.empty()) path.add_site(place);

  if (!environment.version.empty()) {
    const auto* platform = windows->machine == "x86"     ? "win32"
                           : windows->machine == "ARM64" ? "win_arm64"
                                                         : "win_amd64";
    environment.extension_suffixes = {".cp3" + environment.version.substr(2) + "-" + platform + ".pyd", ".pyd"};
  }
  const bool library = !base.empty() && !Below(*windows, base)("Lib\\os.py").empty();
  // Of modules that are nowhere a standard library that is not there may be the place.
  environment.complete = library;
  if (!library)
    environment.notes.push_back("the standard library of Python is not in " + found.home +
                                "; its modules are assumed present");
  return found;
}

}  // namespace cudald

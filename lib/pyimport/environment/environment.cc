#include "base/path.h"
#include "base/trimmed.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/visible.h"

namespace cudald {

bool PythonEnvironment::shows(const std::string& variable) const {
  // A process of Windows has those alone that were stated.
  return windows != nullptr || stated_variables.contains(variable) || python::is_open_variable(variable);
}

bool PythonEnvironment::is_elsewhere(std::string_view module) const {
  for (auto end = module.find('.');; end = module.find('.', end + 1)) {
    if (elsewhere.contains(module.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
  }
}

bool PythonEnvironment::may_have_parts_elsewhere(std::string_view package) const {
  const auto beginning = std::string(package) + "_";
  const auto first = elsewhere.lower_bound(beginning);
  return !complete && first != elsewhere.end() && first->starts_with(beginning);
}

bool PythonEnvironment::is_namespace_elsewhere(std::string_view module) const {
  const auto below = std::string(module) + ".";
  const auto first = elsewhere.lower_bound(below);
  return first != elsewhere.end() && first->starts_with(below);
}
namespace {

std::string find_interpreter(const FileSystem& files, const std::string& prefix, const std::string& version) {
  for (const auto& name : {"python" + version, std::string("python3"), std::string("python")})
    if (is_file(files, prefix + "/bin/" + name)) return prefix + "/bin/" + name;
  return {};
}

/// The version that bin/python is, else the newest whose library is there.
std::string find_version(const FileSystem& files, const std::string& prefix) {
  for (const std::string name : {"python3", "python"}) {
    const auto real = files.real_path(prefix + "/bin/" + name);
    if (real && !version_in(file_name(*real)).empty()) return version_in(file_name(*real));
  }
  std::string newest;
  if (const auto names = files.list(prefix + "/lib")) {
    for (const auto& name : *names) {
      if (!name.starts_with("python3.") || !is_folder(files, prefix + "/lib/" + name)) continue;
      if (const auto version = version_in(name); newest.empty() || minor_of(version) > minor_of(newest))
        newest = version;
    }
  }
  return newest;
}

/// ".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so", the first as the interpreter's own modules have it.
/// Source: CPython 3.15 importlib.machinery.EXTENSION_SUFFIXES; PEP 803.
std::vector<std::string> extension_suffixes(const FileSystem& files, const PythonEnvironment& environment) {
  if (environment.version.empty()) return {};
  const auto tag = ".cpython-3" + environment.version.substr(2);
  std::map<std::string, int> seen;
  for (const auto& folder : environment.path) {
    if (!folder.ends_with("/lib-dynload")) continue;
    if (const auto names = files.list(folder))
      for (const auto& name : *names)
        if (const auto at = name.find(tag); at != std::string::npos && name.ends_with(".so")) ++seen[name.substr(at)];
  }
  std::string own = tag + "-x86_64-linux-gnu.so";
  int most = 0;
  for (const auto& [suffix, count] : seen)
    if (count > most) most = count, own = suffix;
  constexpr int first_with_platforms = 15;
  const auto platform = own.substr(tag.size());
  if (minor_of(environment.version) >= first_with_platforms)
    return {own, ".abi3" + platform, ".abi3.so", ".abi3t" + platform, ".abi3t.so", ".so"};
  return {own, ".abi3.so", ".so"};
}

/// The third part of the version of a Python that is not a virtual environment's: its headers say it, if they are
/// there.
int micro_by_headers(const FileSystem& files, const PythonEnvironment& environment) {
  constexpr std::uint64_t longest = 64 << 10;
  constexpr std::string_view mark = "#define PY_MICRO_VERSION";
  const auto folder = environment.base_prefix + "/include/python" + environment.version;
  const auto text = read_file(files, folder + "/patchlevel.h", longest);
  const auto at = text ? text->find(mark) : std::string::npos;
  if (at == std::string::npos) return 0;
  const std::string_view rest = std::string_view(*text).substr(at + mark.size());
  return micro_of("3.0." + std::string(trimmed(rest.substr(0, rest.find('\n')))));
}

/// The folder of the standard library below a prefix: in lib64 where Python was built so, as Fedora and SUSE do.
/// Source: CPython 3.11 configure.ac, --with-platlibdir.
std::string library_of(const FileSystem& files, const std::string& prefix, const std::string& version) {
  const auto usual = prefix + "/lib/python" + version, other = prefix + "/lib64/python" + version;
  return !is_file(files, usual + "/os.py") && is_file(files, other + "/os.py") ? other : usual;
}

/// Source: CPython 3.11 Lib/site.py, getsitepackages: the folder of sys.platlibdir, then that of "lib".
void add_site_folders(PathBuilder& path, const std::string& prefix, const std::string& version, bool lib64) {
  // Source: Fedora python3.12, 00251-change-user-install-location.patch.
  if (lib64 && prefix == "/usr") add_site_folders(path, "/usr/local", version, true);
  if (lib64) path.add_site(prefix + "/lib64/python" + version + "/site-packages");
  path.add_site(prefix + "/lib/python" + version + "/site-packages");
  if (!lib64) path.add_site(prefix + "/lib64/python" + version + "/site-packages");
  // Debian's own. Source: Debian python3.11, Lib/site.py, getsitepackages.
  if (prefix == "/usr") {
    path.add_site("/usr/local/lib/python" + version + "/dist-packages");
    path.add_site("/usr/lib/python3/dist-packages");
    path.add_site("/usr/lib/python" + version + "/dist-packages");
  }
}

/// Source: CPython 3.11 Modules/getpath.py: each part, an empty one too, is made absolute; an empty variable has none.
void add_python_path(PathBuilder& path, const PythonEnvironment& environment) {
  const auto value = variable_of(environment, "PYTHONPATH");
  if (value.empty()) return;
  for (const auto folder : split(value, ":"))
    if (folder.starts_with('/') || !environment.cwd.empty()) path.add(absolute_path(folder, environment.cwd));
}

/// PYTHONHOME is where the standard library lies, whatever Python it is of: without it no Python starts. Returns where
/// its compiled modules lie; empty if the variable is not set.
/// Source: CPython 3.11 Modules/getpath.py, ENV_PYTHONHOME; Python/codecs.c, init_fs_encoding.
std::string take_python_home(const FileSystem& files, PythonEnvironment& environment) {
  const auto value = variable_of(environment, "PYTHONHOME");
  if (value.empty() || (value.front() != '/' && environment.cwd.empty())) return {};
  const auto parts = split(value, ":");
  environment.base_prefix = normal_path(absolute_path(parts.front(), environment.cwd));
  const auto library = library_of(files, environment.base_prefix, environment.version);
  const auto archive = environment.base_prefix + "/lib/python3" + environment.version.substr(2) + ".zip";
  environment.lost_home = !is_folder(files, library + "/encodings") && !is_file(files, archive);
  return normal_path(absolute_path(parts.back(), environment.cwd));
}

/// Where `pip install --user` puts packages; empty if this process does not search it or its home is not known.
/// Source: CPython 3.11 Lib/site.py, check_enableusersite and _getuserbase.
std::string user_site_folder(const PythonEnvironment& environment) {
  if (!variable_of(environment, "PYTHONNOUSERSITE").empty()) return {};
  auto base = variable_of(environment, "PYTHONUSERBASE");
  if (const auto home = variable_of(environment, "HOME"); base.empty() && !home.empty()) base = home + "/.local";
  if (!base.starts_with('/')) return {};
  return normal_path(base) + "/lib/python" + environment.version + "/site-packages";
}

}  // namespace

std::optional<PythonEnvironment> find_python(const std::string& given, const FileSystem& files,
                                             const std::map<std::string, std::string>& variables,
                                             const std::string& cwd) {
  const auto prefix = normal_path(given);
  if (!is_folder(files, prefix)) return std::nullopt;
  PythonEnvironment environment;
  environment.prefix = environment.base_prefix = prefix;
  environment.variables = variables;
  environment.cwd = cwd;

  bool system_site = false;
  const bool virtual_environment = is_file(files, prefix + "/pyvenv.cfg");
  if (virtual_environment) {
    const auto settings = read_settings(files, prefix + "/pyvenv.cfg");
    const auto setting = [&](const std::string& name) {
      const auto at = settings.find(name);
      return at == settings.end() ? std::string() : at->second;
    };
    take_version(settings, environment);
    system_site = has_system_site(settings);
    auto home = setting("home");
    if (!is_folder(files, home))
      if (const auto real = files.real_path(prefix + "/bin/python")) home = parent_path(*real);
    if (is_folder(files, home)) environment.base_prefix = normal_path(std::string(home) + "/..");
    // The folder of `home` may hold symbolic links to a Python elsewhere.
    if (!is_file(files, library_of(files, environment.base_prefix, environment.version) + "/os.py"))
      if (const auto real = files.real_path(prefix + "/bin/python"))
        environment.base_prefix = normal_path(std::string(parent_path(*real)) + "/..");
  }
  if (environment.version.empty()) environment.version = find_version(files, prefix);

  PathBuilder path(files, environment);
  add_python_path(path, environment);
  if (environment.version.empty()) {
    path.add_site(prefix);
    environment.complete = false;
    return environment;
  }
  const auto home = take_python_home(files, environment);
  const auto library = library_of(files, environment.base_prefix, environment.version);
  const bool lib64 = library.find("/lib64/") != std::string::npos;
  path.add(library);
  path.add((home.empty() ? library : library_of(files, home, environment.version)) + "/lib-dynload");
  // What is installed in a virtual environment comes before the user's own packages, which others have first.
  const auto user = user_site_folder(environment);
  if (!virtual_environment && !user.empty()) path.add_site(user);
  // Source: CPython 3.11 Modules/getpath.py: PYTHONHOME overrides pyvenv.cfg; before, site.py read it all the same.
  constexpr int first_that_overrides = 11;
  const bool overridden = !home.empty() && minor_of(environment.version) >= first_that_overrides;
  add_site_folders(path, overridden ? environment.base_prefix : prefix, environment.version, lib64);
  if (virtual_environment && system_site && !user.empty()) path.add_site(user);
  if (system_site) add_site_folders(path, environment.base_prefix, environment.version, lib64);
  if (environment.micro == 0) environment.micro = micro_by_headers(files, environment);
  environment.interpreter = find_interpreter(files, prefix, environment.version);
  environment.extension_suffixes = extension_suffixes(files, environment);
  if (!is_file(files, library + "/os.py"))
    environment.notes.push_back("the standard library of Python " + environment.version + " is not at " + library);
  return environment;
}

}  // namespace cudald

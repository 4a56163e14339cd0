#include <algorithm>
#include <cctype>
#include <set>

#include "base/path.h"
#include "python/run_import.h"

namespace cudald {
namespace {

constexpr std::uint64_t max_text = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// "3.11" out of "python3.11", "3.11.7" or "3.11t"; empty if there is none.
std::string version_in(std::string_view text) {
  const auto at = text.find("3.");
  if (at == std::string_view::npos) return {};
  auto end = at + 2;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return end > at + 2 ? std::string(text.substr(at, end - at)) : std::string();
}

int minor_of(std::string_view version) {
  int minor = 0;
  for (const char c : version.substr(std::min<std::size_t>(2, version.size())))
    if (std::isdigit(static_cast<unsigned char>(c)) && minor < 1000) minor = minor * 10 + (c - '0');
  return minor;
}

/// `home`, `version` and so on of pyvenv.cfg.
std::map<std::string, std::string> read_settings(const FileSystem& files, const std::string& path) {
  std::map<std::string, std::string> settings;
  const auto text = read_file(files, path, max_text);
  if (!text) return settings;
  for (const auto line : split(*text, "\n")) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      settings.emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
  }
  return settings;
}

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
      if (const auto version = version_in(name); newest.empty() || minor_of(version) > minor_of(newest)) newest = version;
    }
  }
  return newest;
}

class PathBuilder {
 public:
  PathBuilder(const FileSystem& files, PythonEnvironment& environment) : files_(files), environment_(environment) {}

  void add(const std::string& folder) {
    // lib64 is often only another name of lib.
    if (is_folder(files_, folder) && seen_.insert(*files_.real_path(folder)).second)
      environment_.path.push_back(normal_path(folder));
  }

  /// A folder whose .pth files count, as site.addsitedir does. Source: CPython 3.11 Lib/site.py.
  void add_site(const std::string& folder) {
    const auto known = environment_.path.size();
    add(folder);
    if (environment_.path.size() == known) return;
    const auto names = files_.list(folder);
    if (!names) return;
    for (const auto& name : *names) {
      if (!name.ends_with(".pth") || name.starts_with('.')) continue;
      const auto text = read_file(files_, folder + "/" + name, max_text);
      if (!text) continue;
      for (const auto line : split(*text, "\n")) {
        const auto entry = trimmed(line);
        if (entry.empty() || entry.starts_with('#')) continue;
        if (entry.starts_with("import ") || entry.starts_with("import\t"))
          environment_.notes.push_back(folder + "/" + name + " runs code at start-up; it was not run");
        else
          add(absolute_path(entry, folder));
      }
    }
  }

 private:
  const FileSystem& files_;
  PythonEnvironment& environment_;
  std::set<std::string> seen_;
};

/// ".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so", the first as the interpreter's own modules have it.
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
  return {own, ".abi3.so", ".so"};
}

void add_site_folders(PathBuilder& path, const std::string& prefix, const std::string& version) {
  path.add_site(prefix + "/lib/python" + version + "/site-packages");
  path.add_site(prefix + "/lib64/python" + version + "/site-packages");
  // Debian's own. Source: Debian python3.11, Lib/site.py, getsitepackages.
  if (prefix == "/usr") {
    path.add_site("/usr/local/lib/python" + version + "/dist-packages");
    path.add_site("/usr/lib/python3/dist-packages");
    path.add_site("/usr/lib/python" + version + "/dist-packages");
  }
}

}  // namespace

std::optional<PythonEnvironment> find_python(const std::string& given, const FileSystem& files,
                                             const std::map<std::string, std::string>& variables) {
  const auto prefix = normal_path(given);
  if (!is_folder(files, prefix)) return std::nullopt;
  PythonEnvironment environment;
  environment.prefix = environment.base_prefix = prefix;
  environment.variables = variables;

  bool system_site = false;
  if (is_file(files, prefix + "/pyvenv.cfg")) {
    const auto settings = read_settings(files, prefix + "/pyvenv.cfg");
    const auto setting = [&](const std::string& name) {
      const auto at = settings.find(name);
      return at == settings.end() ? std::string() : at->second;
    };
    environment.version = version_in(setting("version").empty() ? setting("version_info") : setting("version"));
    system_site = setting("include-system-site-packages") == "true";
    auto home = setting("home");
    if (!is_folder(files, home))
      if (const auto real = files.real_path(prefix + "/bin/python")) home = parent_path(*real);
    if (is_folder(files, home)) environment.base_prefix = normal_path(std::string(home) + "/..");
    // The folder of `home` may hold symbolic links to a Python elsewhere.
    const auto library = environment.base_prefix + "/lib/python" + environment.version + "/os.py";
    if (!is_file(files, library))
      if (const auto real = files.real_path(prefix + "/bin/python"))
        environment.base_prefix = normal_path(std::string(parent_path(*real)) + "/..");
  }
  if (environment.version.empty()) environment.version = find_version(files, prefix);

  PathBuilder path(files, environment);
  if (const auto at = variables.find("PYTHONPATH"); at != variables.end())
    for (const auto folder : split(at->second, ":"))
      if (folder.starts_with('/')) path.add(std::string(folder));
  if (environment.version.empty()) {
    path.add_site(prefix);
    environment.complete = false;
    return environment;
  }
  const auto library = environment.base_prefix + "/lib/python" + environment.version;
  path.add(library);
  path.add(library + "/lib-dynload");
  add_site_folders(path, prefix, environment.version);
  if (system_site) add_site_folders(path, environment.base_prefix, environment.version);
  environment.interpreter = find_interpreter(files, prefix, environment.version);
  environment.extension_suffixes = extension_suffixes(files, environment);
  if (!is_file(files, library + "/os.py"))
    environment.notes.push_back("the standard library of Python " + environment.version + " is not at " + library);
  return environment;
}

}  // namespace cudald

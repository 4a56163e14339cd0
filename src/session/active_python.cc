#include "session/active_python.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "package/version.h"
#include "session/find_target.h"

namespace cudald {
namespace {

constexpr std::size_t most_text = 4096;  // of a shim, and of a file that names versions

Error no_python(std::string why) { return {ErrorCode::absent, std::move(why) + "; name one: --prefix DIR"}; }

class ActivePythonFinder {
 public:
  ActivePythonFinder(const Query& query, const FileSystem& files) : query_(query), files_(files) {}

  Result<PythonEnvironment> find() const {
    for (const std::string name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const auto prefix = query_.environment.variable(name);
      if (!prefix || prefix->empty()) continue;
      if (auto python = python_in(absolute(*prefix))) return std::move(*python);
      if (!is_folder(files_, absolute(*prefix)))
        return no_python(name + " names " + *prefix +
                         ", which is not a directory: the environment that was active is gone");
      // Of conda's environments some have no Python, and PATH leads past them.
      if (name == "VIRTUAL_ENV") return no_python(name + " names " + *prefix + ", in which no Python is");
    }
    const auto programs = programs_on_path("python3", query_, files_);
    for (const auto& program : programs) {
      if (auto python = python_of(program)) return std::move(*python);
      if (!is_shim_of_pyenv(program)) return no_python("python3 on PATH is " + program + ", which is not a Python");
      auto behind = behind_pyenv(program);
      if (!behind) return behind.error();
      if (behind->empty()) continue;  // "system": what comes later on PATH
      if (auto python = python_of(*behind)) return std::move(*python);
      return no_python("python3 on PATH leads to " + *behind + ", which is not a Python");
    }
    if (auto python = python_in("/usr")) return std::move(*python);
    return no_python("no Python environment is active");
  }

 private:
  std::string absolute(const std::string& path) const { return absolute_path(path, query_.environment.cwd); }

  /// Without an interpreter, a folder that happens to have Python's names is no environment that somebody uses.
  std::optional<PythonEnvironment> python_in(const std::string& prefix) const {
    auto python = find_python(prefix, files_, query_.environment.variables, query_.environment.cwd);
    if (!python || python->interpreter.empty() || python->path.empty()) return std::nullopt;
    return python;
  }

  /// Of a program that is a link, its own folder counts if Python's library is there. Source: CPython 3.11
  /// Modules/getpath.py, "CALCULATE (base_)prefix".
  std::optional<PythonEnvironment> python_of(const std::string& program) const {
    const auto prefix_of = [](std::string_view path) { return normal_path(std::string(parent_path(path)) + "/.."); };
    auto python = python_in(prefix_of(program));
    if (python && python->notes.empty()) return python;
    if (const auto real = files_.real_path(program))
      if (auto other = python_in(prefix_of(*real))) return other;
    return python;
  }

  bool is_shim_of_pyenv(const std::string& program) const {
    const auto text = read_file(files_, program, most_text);
    return text && text->starts_with("#!") && text->find("pyenv") != std::string::npos &&
           file_name(parent_path(program)) == "shims";
  }

  /// The program that a shim of pyenv starts; empty: what is next on PATH.
  /// Source: pyenv README, "Understanding Python version selection".
  Result<std::string> behind_pyenv(const std::string& shim) const {
    const auto root =
        absolute(query_.environment.variable("PYENV_ROOT").value_or(std::string(parent_path(parent_path(shim)))));
    const auto versions = versions_of_pyenv(root);
    for (const auto& version : versions) {
      if (version == "system") return std::string();
      for (const auto& folder : folders_of_pyenv(root, version))
        if (auto program = root + "/versions/" + folder + "/bin/python3"; is_file(files_, program)) return program;
    }
    if (versions.empty()) return std::string();
    return no_python("pyenv is set to use Python " + versions.front() + ", which is not in " + root + "/versions");
  }

  std::vector<std::string> versions_of_pyenv(const std::string& root) const {
    if (const auto stated = query_.environment.variable("PYENV_VERSION"); stated && !stated->empty())
      return words(*stated, ":");
    for (auto folder = query_.environment.cwd;; folder = parent_path(folder)) {
      if (auto named = versions_in(folder + "/.python-version"); !named.empty()) return named;
      if (folder.empty() || folder == "/") break;
    }
    return versions_in(root + "/version");
  }

  std::vector<std::string> versions_in(const std::string& path) const {
    std::vector<std::string> versions;
    const auto text = read_file(files_, path, most_text);
    for (const auto line : split(text ? std::string_view(*text) : "", "\n"))
      for (auto& word : words(line.substr(0, line.find('#')), " \t\r")) versions.push_back(std::move(word));
    return versions;
  }

  static std::vector<std::string> words(std::string_view text, std::string_view separators) {
    std::vector<std::string> found;
    for (const auto word : split(text, separators))
      if (!word.empty() && word.find('/') == std::string_view::npos && word != "." && word != "..")
        found.emplace_back(word);
    return found;
  }

  /// The folders that a version's name means: its own, else the releases that begin with it, the newest first.
  std::vector<std::string> folders_of_pyenv(const std::string& root, const std::string& version) const {
    std::vector<std::string> folders{version};
    if (version.starts_with("python-")) folders.push_back(version.substr(7));
    std::vector<std::pair<DistributionVersion, std::string>> releases;
    if (const auto names = files_.list(root + "/versions"))
      for (const auto& name : *names)
        if (const auto number = parse_version(name); number && name.starts_with(version + "."))
          releases.emplace_back(*number, name);
    std::sort(releases.begin(), releases.end(), [](const auto& a, const auto& b) { return b.first < a.first; });
    for (auto& release : releases) folders.push_back(std::move(release.second));
    return folders;
  }

  const Query& query_;
  const FileSystem& files_;
};

}  // namespace

Result<PythonEnvironment> find_active_python(const Query& query, const FileSystem& files) {
  return ActivePythonFinder(query, files).find();
}

}  // namespace cudald

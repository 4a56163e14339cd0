#include "pyimport/run/host.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "base/path.h"
#include "base/windows_path.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_source = std::uint64_t{8} << 20;

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Host::Host(Interpreter& python, SourceStore* source_store) : Part(python), source_store_(source_store) {
  for (const auto& [name, value] : environment_.variables)
    if (environment_.shows(name))
      variables_.emplace(name, value);
    else
      unsure_variables_.insert(name);
}

std::shared_ptr<const Source> Host::parse(SourceIdentity identity) {
  return Source::parse(std::move(identity), python_.texts, cost_, source_store_);
}

Result<std::string> Host::read_text(const std::string& path, std::uint64_t limit) {
  if (!visible_.may_read(path)) return Error{ErrorCode::usage, "it is not one of the files that code may see", path};
  const auto file = files_.open(path);
  if (!file) return file.error();
  heap_.look_at(std::min((*file)->status().size, limit));
  return read_file(**file, path, limit);
}

Result<SourceIdentity> Host::read_source(const std::string& path) {
  const auto file = files_.open(path);
  if (!file) return file.error();
  heap_.look_at(std::min((*file)->status().size, max_source));
  return python_.texts.read(**file, path, max_source);
}

std::shared_ptr<const Source> Host::keep_source(std::shared_ptr<const Source> source) {
  if (cost_.exhausted()) throw Exhausted();
  return sources_.emplace_back(std::move(source));
}

std::string Host::spelled(const std::string& tree_path) const {
  return environment_.windows == nullptr || tree_path.empty() ? tree_path : environment_.windows->spelled(tree_path);
}

std::optional<std::string> Host::place_of(const std::string& path) const {
  if (environment_.windows != nullptr) return environment_.windows->find(path);
  return path.starts_with('/') ? std::optional(path) : std::nullopt;
}

std::optional<std::string> Host::full_path(const std::string& path) {
  if (paths_.is_full(path)) return path;
  python_.tracker.result().looked_at.cwd = true;
  return environment_.cwd.empty() ? std::nullopt : std::optional(paths_.join(environment_.cwd, path));
}

const std::string* Host::variable(const std::string& name) {
  python_.tracker.result().looked_at.variables.insert(name);
  // Names of variables have no case there. Source: CPython Lib/os.py, _createenviron.
  const auto at = variables_.find(environment_.windows != nullptr ? upper(name) : name);
  return at == variables_.end() ? nullptr : &at->second;
}

bool Host::is_unsure_variable(const std::string& name) const {
  return unsure_variables_.contains(environment_.windows != nullptr ? upper(name) : name);
}

/// What PYTHONOPTIMIZE says: a number, and any other text counts as 1.
/// Source: CPython 3.11 Python/initconfig.c, _Py_get_env_flag.
int Host::optimisation() {
  constexpr std::size_t most_digits = 4;
  const auto* said = variable("PYTHONOPTIMIZE");
  if (said == nullptr || said->empty() || is_unsure_variable("PYTHONOPTIMIZE")) return 0;
  const bool number = said->size() <= most_digits && said->find_first_not_of("0123456789") == std::string::npos;
  return number ? std::atoi(said->c_str()) : 1;
}

void Host::unset_variable(const Frame& frame, const std::string& name) {
  const auto key = environment_.windows != nullptr ? upper(name) : name;
  heap_.keep(sizeof(std::string) + name.size());
  if (frame.maybe) {
    unsure_variables_.insert(key);
    return;
  }
  variables_.erase(key);
  unsure_variables_.erase(key);
}

void Host::set_variable(Frame& frame, const std::string& name, const Value& value) {
  const auto* text = value.get<std::string>();
  const auto key = environment_.windows != nullptr ? upper(name) : name;
  if (text == nullptr || frame.maybe || text->size() > max_length) {
    heap_.keep(sizeof(std::string) + name.size());
    unsure_variables_.insert(key);
    return;
  }
  heap_.keep(2 * sizeof(std::string) + name.size() + Heap::size_of(value));
  variables_[key] = *text;
  unsure_variables_.erase(key);
  if (environment_.windows == nullptr || key != "PATH") return;
  auto step = python_.requests.library_step(frame, *text, "source");
  step.kind = LoadStep::Kind::path_variable;
  python_.requests.request(std::move(step));
}

/// The files that a pattern fits, in the order in which NTFS keeps names.
std::vector<Value> Host::glob_on_windows(const std::string& pattern) {
  if (!is_full_windows_path(pattern) || pattern.size() > max_pattern) return {};
  std::vector<std::string> paths;
  bool first = true;
  for (const auto part : cudald::split(pattern, "\\/")) {
    const std::string name(part);
    if (std::exchange(first, false)) {
      paths = {name};  // the drive
      continue;
    }
    std::vector<std::string> next;
    for (const auto& path : paths) {
      if (name.find_first_of("*?[") == std::string::npos) {
        next.push_back(path + '\\' + name);
        continue;
      }
      const auto folder = place_of(path + '\\');
      if (!folder) continue;
      std::vector<std::string> names;
      const auto& entries = finder_.list(*folder);
      heap_.work(entries.size() * (8 + name.size()));
      for (const auto& entry : entries)
        if (fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD | FNM_NOESCAPE | FNM_CASEFOLD) == 0) names.push_back(entry);
      std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return upper(a) < upper(b); });
      for (const auto& entry : names)
        if (next.size() < max_hits) next.push_back(path + '\\' + entry);
    }
    paths = std::move(next);
  }
  std::erase_if(paths, [&](const std::string& path) { return !place_of(path); });
  return {paths.begin(), paths.end()};
}

}  // namespace cudald::python

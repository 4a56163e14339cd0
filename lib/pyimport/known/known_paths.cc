#include <fnmatch.h>
#include <algorithm>

#include "base/json.h"
#include "base/path.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

constexpr int max_json_depth = 30;

/// The first argument, if all are texts without names and not too long. Where it is None, os.fspath says so.
const std::string* only_path(const KnownCall& call) {
  call.refuse_none(0, no_path);
  std::size_t size = 0;
  for (const auto& one : call.arguments) {
    const auto* part = one.value.get<std::string>();
    if (part == nullptr || !one.keyword.empty()) return nullptr;
    size += part->size();
    call.python.heap.look_at(size);
    if (size > max_length) return nullptr;
  }
  return call.text(0);
}

Value joined(const KnownCall& call) {
  const auto* path = only_path(call);
  if (path == nullptr) return Unknown{};
  auto whole = *path;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    whole = call.python.paths.join(whole, *call.text(i));
    if (whole.size() > max_length) return Unknown{};
  }
  return whole;
}

/// Source: CPython 3.11 Lib/genericpath.py, _check_arg_types.
Value join(const KnownCall& call) {
  for (std::size_t i = 1; i < call.arguments.size() && call.text(0) != nullptr; ++i)
    call.refuse_none(i, "join() argument must be str, bytes, or os.PathLike object, not 'NoneType'");
  return joined(call);
}

Value folder_of(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? Value() : Value(call.python.paths.split(*path).first);
}

Value name_of(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? Value() : Value(call.python.paths.split(*path).second);
}

Value same(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? Value() : Value(*path);
}

/// With the user's directory for a `~` in front; that of another user is not known.
/// Source: CPython 3.11 Lib/posixpath.py and Lib/ntpath.py, expanduser.
Value with_home(const KnownCall& call, const std::string& path) {
  if (!path.starts_with('~')) return path;
  auto& python = call.python;
  const auto end = python.environment.windows == nullptr ? path.find('/') : path.find_first_of("/\\");
  const std::string name = python.environment.windows == nullptr ? "HOME" : "USERPROFILE";
  const auto* home = python.host.variable(name);
  if (std::min(end, path.size()) != 1 || home == nullptr || python.host.is_unsure_variable(name)) return Unknown{};
  const auto last = home->find_last_not_of('/');
  const auto expanded = home->substr(0, last + 1) + path.substr(1);
  return expanded.empty() ? "/" : expanded;
}

Value expand_user(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? Value() : with_home(call, *path);
}

Value expand_variables(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr || path->find_first_of("$%") != std::string::npos ? Value() : Value(*path);
}

/// The first argument as a path from the root; nothing if it is not known.
std::optional<std::string> only_full_path(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? std::nullopt : call.python.host.full_path(*path);
}

Value full(const KnownCall& call) {
  auto path = only_full_path(call);
  return path ? Value(std::move(*path)) : Value();
}

Value absolute(const KnownCall& call) {
  const auto path = only_full_path(call);
  return path ? Value(call.python.paths.normal(*path)) : Value();
}

Value normal(const KnownCall& call) {
  constexpr int compiled_since = 13;
  if (minor_of(call.python.environment.version) >= compiled_since && call.python.environment.windows == nullptr)
    call.refuse_none(0, "_path_normpath: path should be string, bytes or os.PathLike, not NoneType");
  const auto* path = only_path(call);
  if (path == nullptr || !call.python.paths.is_full(*path)) return Unknown{};
  return call.python.paths.normal(*path);
}

Value real(const KnownCall& call) {
  const auto path = only_full_path(call);
  if (!path) return Unknown{};
  const auto place = call.python.host.place_of(*path);
  const auto real_place = place ? call.python.files.real_path(*place) : Result<std::string>(Error{});
  return real_place ? call.python.host.spelled(*real_place) : call.python.paths.normal(*path);
}

/// Of a path below the folder that it is to begin at; of others it hangs on the current folder.
Value relative(const KnownCall& call) {
  const auto *path = call.text(0), *start = call.text(1, "start");
  const auto& paths = call.python.paths;
  if (path == nullptr || start == nullptr || !paths.is_full(*path) || !paths.is_full(*start)) return Unknown{};
  const auto whole = paths.normal(*path), above = paths.normal(*start) + "/";
  return whole.starts_with(above) ? Value(whole.substr(above.size())) : Value();
}

Value is_full(const KnownCall& call) {
  const auto* path = only_path(call);
  return path == nullptr ? Value() : Value(call.python.paths.is_full(*path));
}

/// Nothing if the path is not known, and a status that is none if nothing is there: a folder to start in that is not
/// known either belongs to no package.
std::optional<Result<FileStatus>> status_of(const KnownCall& call, std::string_view asked = "stat") {
  const auto* types = asked == "stat" ? "string, bytes, os.PathLike or integer" : "string, bytes or os.PathLike";
  if (call.python.environment.windows == nullptr)
    call.refuse_none(0, std::string(asked) + ": path should be " + types + ", not NoneType");
  else if (call.argument(0) != nullptr && call.argument(0)->get<None>() != nullptr)
    return std::nullopt;  // compiled since 3.12, with other answers
  if (only_path(call) == nullptr) return std::nullopt;
  call.python.heap.work(work_of_status);
  const auto path = only_full_path(call);
  const auto place = path ? call.python.host.place_of(*path) : std::nullopt;
  auto status = place ? call.python.files.status(*place) : Result<FileStatus>(Error{});
  if (place && !status && !call.frame.maybe) call.python.tracker.note_absent(call.frame, *place);
  return status;
}

Value exists(const KnownCall& call) {
  const auto status = status_of(call);
  return status ? Value(status->has_value()) : Value();
}

Value exists_as_link(const KnownCall& call) {
  const auto status = status_of(call, "lstat");
  return status ? Value(status->has_value()) : Value();
}

Value is_regular(const KnownCall& call) {
  const auto status = status_of(call);
  return status ? Value(*status && (*status)->kind == FileKind::regular) : Value();
}

Value is_folder(const KnownCall& call) {
  const auto status = status_of(call);
  return status ? Value(*status && (*status)->kind == FileKind::folder) : Value();
}

Value pair_of(const KnownCall& call,
              std::pair<std::string, std::string> (CodePaths::*split)(const std::string&) const) {
  const auto* path = only_path(call);
  if (path == nullptr) return Unknown{};
  auto [first, second] = (call.python.paths.*split)(*path);
  return call.python.heap.list({std::move(first), std::move(second)});
}
Value split(const KnownCall& call) { return pair_of(call, &CodePaths::split); }
Value split_suffix(const KnownCall& call) { return pair_of(call, &CodePaths::split_suffix); }

/// Source: CPython 3.11 and 3.12, Lib/pathlib.py, PurePath.
Value path_object(const KnownCall& call) {
  if (call.arguments.empty()) return Unknown{};
  constexpr int other_words_since = 12;
  const bool newer = minor_of(call.python.environment.version) >= other_words_since;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    call.refuse_none(i, newer ? "argument should be a str or an os.PathLike object where __fspath__ returns a str, "
                                "not 'NoneType'"
                              : no_path);
  return joined(call);
}

/// Whether code may see which files a pattern fits: the folder in front of its first sign decides.
bool may_glob(const KnownCall& call, const std::string& pattern) {
  const auto sign = std::min(pattern.find_first_of("*?["), pattern.size());
  const auto folder = parent_path(std::string_view(pattern).substr(0, sign));
  return call.python.environment.windows != nullptr || sign == pattern.size() || !pattern.starts_with('/') ||
         call.python.visible.may_list(std::string(folder));
}

Value globbed(const KnownCall& call) {
  const auto* pattern = call.text(0, "pathname");
  const auto* below = call.argument(99, "recursive");
  const auto recursive = below == nullptr ? std::optional(false) : truth(*below);
  if (pattern == nullptr || call.argument(99, "root_dir") != nullptr || !recursive) return Unknown{};
  const auto full = call.python.host.full_path(*pattern);
  if (!full || !may_glob(call, *full)) return Unknown{};
  auto hits = call.python.host.glob(*full, *recursive);
  if (hits.size() >= max_hits) return Unknown{};
  if (hits.empty()) call.python.tracker.note_absent(call.frame, *full);
  return call.python.heap.list(std::move(hits));
}

Value list_folder(const KnownCall& call) {
  const auto* folder = call.text(0);
  const auto place = folder == nullptr ? std::nullopt : call.python.host.place_of(*folder);
  if (!place || !call.python.visible.may_list(*place)) return Unknown{};
  if (!call.python.finder.has_folder(*place)) {
    if (call.frame.maybe || !call.python.handlers.caught_for_all("FileNotFoundError")) return Unknown{};
    throw PythonError{"FileNotFoundError", "[Errno 2] No such file or directory: '" + *folder + "'"};
  }
  const auto& names = call.python.finder.list(*place);
  call.python.heap.work(names.size());
  return call.python.heap.list({names.begin(), names.end()});
}

/// Entries are paths here, which are asked like those of pathlib.
Value scan_folder(const KnownCall& call) {
  const auto names = list_folder(call);
  const auto* folder = call.text(0);
  const auto* list = names.get<List>();
  if (list == nullptr || folder == nullptr) return names;
  std::vector<Value> entries;
  for (const auto& name : *list->items) entries.emplace_back(call.python.paths.join(*folder, *name.get<std::string>()));
  return call.python.heap.list(std::move(entries));
}

Value value_of(Heap& heap, const nlohmann::json& json, int depth) {
  heap.keep(sizeof(Value));
  if (depth > max_json_depth) return Unknown{};
  if (json.is_null()) return None{};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<long long>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    std::vector<Value> items;
    for (const auto& item : json) items.push_back(value_of(heap, item, depth + 1));
    return heap.list(std::move(items));
  }
  if (!json.is_object()) return Unknown{};
  auto dict = heap.dict();
  for (const auto& [key, item] : json.items()) dict.items->put(heap, key, value_of(heap, item, depth + 1), false);
  return dict;
}

Value read_json(const KnownCall& call, const std::string& text) {
  call.python.heap.look_at(16 * text.size());
  call.python.heap.keep(4 * text.size());
  const auto json = parse_json(text);
  return json.is_discarded() ? Value() : value_of(call.python.heap, json, 0);
}

Value json_text(const KnownCall& call) {
  const auto* text = call.text(0);
  return text == nullptr ? Value() : read_json(call, *text);
}

Value json_file(const KnownCall& call) {
  const auto* file = call.argument(0) == nullptr ? nullptr : call.argument(0)->thing(ThingKind::text_file);
  if (file == nullptr) return Unknown{};
  const auto text = call.python.host.read_text(*file, max_length);
  return text ? read_json(call, *text) : Value();
}

/// shutil.which(NAME), as far as PATH is known. Source: CPython 3.11 Lib/shutil.py, which.
Value which(const KnownCall& call) {
  auto& python = call.python;
  const auto* name = call.text(0);
  const auto* path = python.host.variable("PATH");
  const bool unsure = python.host.is_unsure_variable("PATH") || python.environment.windows != nullptr;
  if (name == nullptr || call.arguments.size() != 1 || path == nullptr || unsure) return Unknown{};
  if (name->empty() || name->find('/') != std::string::npos) return Unknown{};
  for (const auto folder : cudald::split(*path, ":")) {
    if (!folder.starts_with('/')) return Unknown{};
    python.heap.work(work_of_status);
    const auto file = std::string(folder) + "/" + *name;
    const auto status = python.files.status(file);
    if (status && status->kind == FileKind::regular && status->executable) return file;
  }
  return None{};
}

constexpr KnownFunction path_rows[] = {{"shutil.which", which},
                                       {"os.path.join", join},
                                       {"os.path.dirname", folder_of},
                                       {"os.path.basename", name_of},
                                       {"os.path.abspath", absolute},
                                       {"os.path.normpath", normal},
                                       {"os.path.realpath", real},
                                       {"os.path.expanduser", expand_user},
                                       {"os.path.expandvars", expand_variables},
                                       {"os.path.normcase", same},
                                       {"os.path.isabs", is_full},
                                       {"os.path.exists", exists},
                                       {"os.path.lexists", exists_as_link},
                                       {"os.path.isfile", is_regular},
                                       {"os.path.isdir", is_folder},
                                       {"os.path.split", split},
                                       {"os.path.splitext", split_suffix},
                                       {"os.fspath", same},
                                       {"os.fsdecode", same},
                                       {"os.fsencode", same},
                                       {"os.listdir", list_folder},
                                       {"os.scandir", scan_folder},
                                       {"os.path.relpath", relative},
                                       {"glob.glob", globbed},
                                       {"glob.iglob", globbed},
                                       {"json.loads", json_text},
                                       {"json.load", json_file},
                                       {"pathlib.Path", path_object}};

// Methods of pathlib's paths, which are texts here.

Value as_path(const KnownCall& call, const Value& self, Value (*function)(const KnownCall&)) {
  const Arguments alone{{"", self}};
  return function({call.python, call.frame, alone});
}
Value path_exists(const KnownCall& call, const Value& self) { return as_path(call, self, exists); }
Value path_is_file(const KnownCall& call, const Value& self) { return as_path(call, self, is_regular); }
Value path_is_dir(const KnownCall& call, const Value& self) { return as_path(call, self, is_folder); }
Value path_resolve(const KnownCall& call, const Value& self) { return as_path(call, self, real); }
Value path_absolute(const KnownCall& call, const Value& self) { return as_path(call, self, full); }
Value path_is_absolute(const KnownCall& call, const Value& self) { return as_path(call, self, is_full); }
Value path_itself(const KnownCall&, const Value& self) { return self; }
Value path_of_user(const KnownCall& call, const Value& self) {
  const auto* path = self.get<std::string>();
  return path == nullptr ? Value() : with_home(call, *path);
}

Value path_join(const KnownCall& call, const Value& self) {
  Arguments all{{"", self}};
  all.insert(all.end(), call.arguments.begin(), call.arguments.end());
  return joined({call.python, call.frame, all});
}

Value path_entries(const KnownCall& call, const Value& self) {
  const auto names = as_path(call, self, list_folder);
  if (names.get<List>() == nullptr) return Unknown{};
  std::vector<Value> paths;
  for (const auto& name : *names.get<List>()->items)
    paths.push_back(call.python.paths.join(*self.get<std::string>(), *name.get<std::string>()));
  return call.python.heap.list(std::move(paths));
}

Value path_glob(const KnownCall& call, const Value& self) {
  const auto* pattern = call.text(0);
  if (pattern == nullptr || pattern->find("**") != std::string::npos) return Unknown{};
  const auto joined = call.python.paths.join(*self.get<std::string>(), *pattern);
  return may_glob(call, joined) ? Value(call.python.heap.list(call.python.host.glob(joined))) : Value();
}

Value path_text(const KnownCall& call, const Value& self) {
  const auto place = call.python.host.place_of(*self.get<std::string>());
  if (!place || !is_file(call.python.files, *place)) return Unknown{};
  auto text = call.python.host.read_text(*place, max_length);
  return text ? Value(std::move(*text)) : Value();
}

Value path_open(const KnownCall& call, const Value& self) {
  const auto place = call.python.host.place_of(*self.get<std::string>());
  if (!place || !is_file(call.python.files, *place) || !call.arguments.empty()) return Unknown{};
  return Thing(ThingKind::text_file, *place);
}

Value path_with_name(const KnownCall& call, const Value& self) {
  const auto* name = call.text(0);
  if (name == nullptr) return Unknown{};
  return call.python.paths.join(call.python.paths.split(*self.get<std::string>()).first, *name);
}

Value path_with_suffix(const KnownCall& call, const Value& self) {
  const auto* suffix = call.text(0);
  if (suffix == nullptr) return Unknown{};
  return call.python.paths.split_suffix(*self.get<std::string>()).first + *suffix;
}

constexpr KnownMethod known_path_methods[] = {
    {"exists", path_exists},
    {"is_file", path_is_file},
    {"is_dir", path_is_dir},
    {"resolve", path_resolve},
    {"absolute", path_absolute},
    {"expanduser", path_of_user},
    {"as_posix", path_itself},
    {"__fspath__", path_itself},
    {"joinpath", path_join},
    {"iterdir", path_entries},
    {"glob", path_glob},
    {"read_text", path_text},
    {"open", path_open},
    {"locate", path_itself},
    {"with_name", path_with_name},
    {"with_suffix", path_with_suffix},
    {"is_absolute", path_is_absolute},
};

}  // namespace

std::span<const KnownFunction> known_paths() { return path_rows; }
std::span<const KnownMethod> path_methods() { return known_path_methods; }

/// What is left of an attribute of pathlib's paths; nothing if it is none.
std::optional<Value> Host::path_attribute(const std::string& path, std::string_view name) {
  if (name == "parent") return paths_.split(path).first;
  if (name == "name") return paths_.split(path).second;
  if (name == "path") return path;  // of an entry of os.scandir
  const auto file = paths_.split(path).second;
  const auto [stem, suffix] = paths_.split_suffix(file);
  if (name == "stem") return stem;
  if (name == "suffix") return suffix;
  if (name == "suffixes") {
    std::vector<Value> all;
    for (auto dot = file.find('.', 1); dot != std::string::npos; dot = file.find('.', dot + 1))
      all.push_back(file.substr(dot, file.find('.', dot + 1) - dot));
    return heap_.list(std::move(all));
  }
  if (name == "parents") {
    std::vector<Value> all;
    auto folder = paths_.split(path).first;
    for (; !folder.empty() && all.size() < 100; folder = paths_.split(folder).first) {
      all.push_back(folder);
      if (paths_.split(folder).first == folder) break;
    }
    return heap_.list(std::move(all));
  }
  return std::nullopt;
}

/// `**` as a part of its own: the folders themselves and all below them, files only where nothing stands behind it.
/// Source: CPython 3.11 Lib/glob.py, _glob2 and _rlistdir.
std::vector<std::string> Host::all_below(const std::vector<std::string>& folders, bool files_too) {
  std::vector<std::string> all;
  std::vector<std::string> waiting(folders.rbegin(), folders.rend());
  while (!waiting.empty() && all.size() < max_hits) {
    auto path = std::move(waiting.back());
    waiting.pop_back();
    const bool is_folder = finder_.has_folder(path.empty() ? "/" : path);
    if (!is_folder && !files_too) continue;
    if (is_folder) {
      const auto& entries = finder_.list(path.empty() ? "/" : path);
      heap_.work(8 * entries.size() + work_of_status);
      for (auto name = entries.rbegin(); name != entries.rend(); ++name)
        if (!name->starts_with('.')) waiting.push_back(path + "/" + *name);
    }
    heap_.keep(sizeof(std::string) + path.size());
    all.push_back(std::move(path));
  }
  return all;
}

/// The files and folders that a pattern fits, in the order of their names. Python's own order is that of the folder.
std::vector<Value> Host::glob(const std::string& pattern, bool recursive) {
  std::vector<Value> hits;
  if (environment_.windows != nullptr) return glob_on_windows(pattern);
  if (!pattern.starts_with('/')) return hits;
  std::vector<std::string> paths{""};
  if (pattern.size() > max_pattern) return hits;
  const auto parts = cudald::split(std::string_view(pattern).substr(1), "/");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::string> next;
    const std::string name(parts[i]);
    if (recursive && name == "**") {
      paths = all_below(paths, i + 1 == parts.size());
      continue;
    }
    const bool literal = name.find_first_of("*?[") == std::string::npos;
    for (const auto& path : paths) {
      if (literal) {
        heap_.work(work_of_status);
        if (files_.status(path + "/" + name)) next.push_back(path + "/" + name);
        continue;
      }
      const auto& entries = finder_.list(path.empty() ? "/" : path);
      heap_.work(entries.size() * (8 + name.size()));
      for (const auto& entry : entries) {
        if (next.size() >= max_hits || fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD) != 0) continue;
        next.push_back(path + "/" + entry);
        heap_.keep(sizeof(std::string) + next.back().size());
      }
    }
    paths = std::move(next);
  }
  hits.assign(paths.begin(), paths.end());
  return hits;
}

}  // namespace cudald::python

#include <fnmatch.h>
#include <algorithm>

#include "base/path.h"
#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_hits = 500;
constexpr std::size_t max_pattern = 4096;      ///< PATH_MAX
constexpr std::uint64_t work_of_status = 100;  ///< to ask the tree for a path

const Value* argument(const Arguments& arguments, std::size_t position, std::string_view keyword = {}) {
  std::size_t at = 0;
  for (const auto& one : arguments) {
    if (!keyword.empty() && one.keyword == keyword) return &one.value;
    if (one.keyword.empty() && at++ == position) return &one.value;
  }
  return nullptr;
}

const std::string* text_argument(const Arguments& arguments, std::size_t position, std::string_view keyword = {}) {
  const auto* value = argument(arguments, position, keyword);
  return value == nullptr ? nullptr : value->get<std::string>();
}

/// The same function under each name by which it is reached.
std::string_view canonical(std::string_view name, std::string& buffer) {
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"posixpath.", "os.path."},
                                 {"ntpath.", "os.path."},
                                 {"genericpath.", "os.path."},
                                 {"ctypes.LibraryLoader.LoadLibrary", "ctypes.CDLL"},
                                 {"ctypes.cdll.LoadLibrary", "ctypes.CDLL"},
                                 {"ctypes.pydll.LoadLibrary", "ctypes.CDLL"},
                                 {"ctypes.PyDLL", "ctypes.CDLL"},
                                 {"ctypes.windll.LoadLibrary", "ctypes.CDLL"},
                                 {"ctypes.oledll.LoadLibrary", "ctypes.CDLL"},
                                 {"ctypes.WinDLL", "ctypes.CDLL"},
                                 {"ctypes.OleDLL", "ctypes.CDLL"},
                                 {"pathlib.PurePath", "pathlib.Path"},
                                 {"pathlib.PosixPath", "pathlib.Path"},
                                 {"pathlib.WindowsPath", "pathlib.Path"},
                                 {"importlib.__import__", "builtins.__import__"}})
    if (name.starts_with(from)) return buffer = std::string(to) + std::string(name.substr(from.size()));
  return name;
}

}  // namespace

std::optional<Value> Interpreter::call_known(Frame& frame, std::string_view name, const Arguments& arguments) {
  std::string buffer;
  name = canonical(name, buffer);
  if (environment_.windows != nullptr)
    if (auto value = call_on_windows(frame, name, arguments)) return value;
  if (name == "ctypes.CDLL") {
    const auto* mode = argument(arguments, 1, "mode");
    const auto* number = mode == nullptr ? nullptr : mode->get<long long>();
    const auto* named = mode == nullptr ? nullptr : mode->get<Named>();
    const bool global =
        (number != nullptr && (*number & 0x100) != 0) || (named != nullptr && named->name.ends_with("RTLD_GLOBAL"));
    const auto* library = argument(arguments, 0, "name");
    // Since 3.8 the caller may give the flags of LoadLibraryEx. Source: CPython Lib/ctypes/__init__.py, CDLL.__init__.
    const auto* flags = argument(arguments, 5, "winmode");
    const auto* flag_number = flags == nullptr ? nullptr : flags->get<long long>();
    return load_library(
        frame, library == nullptr ? Value() : *library, global,
        flag_number == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(*flag_number)));
  }
  if (name == "importlib.import_module" || name == "builtins.__import__") {
    const auto* module = text_argument(arguments, 0, "name");
    if (module == nullptr || !follows(frame)) return Unknown{};
    const auto dots = std::min(module->find_first_not_of('.'), module->size());
    auto wanted = *module;
    if (dots > 0) {
      const auto* package = text_argument(arguments, 1, "package");
      if (package == nullptr) return Unknown{};
      Module base;
      base.name = *package;
      base.package = true;
      wanted = absolute_name(base, dots, module->substr(dots));
    }
    if (wanted.empty()) return Unknown{};
    return ModuleName{import_module(wanted, &frame).name};
  }
  if (name == "importlib.util.find_spec") {
    const auto* module = text_argument(arguments, 0, "name");
    if (module == nullptr || module->starts_with('.')) return Unknown{};
    if (find_loaded(*module) != nullptr) return true;
    const auto dot = module->rfind('.');
    auto search = search_path();
    if (dot != std::string::npos) {
      if (!follows(frame)) return Unknown{};
      search = import_module(module->substr(0, dot), &frame).search;
    }
    const auto place = finder_.find(std::string_view(*module).substr(dot == std::string::npos ? 0 : dot + 1), search,
                                    dot == std::string::npos);
    return place.kind == ModulePlace::Kind::absent ? Value(None{}) : Value(true);
  }
  if (name == "ctypes.util.find_library") {
    // The libraries of the C library itself are always in the loader's cache; for others it would have to be asked.
    const auto* library = text_argument(arguments, 0);
    if (library == nullptr) return Unknown{};
    if (*library == "c" || *library == "m") return "lib" + *library + ".so.6";
    if (*library == "dl" || *library == "rt" || *library == "pthread")
      return "lib" + *library + (*library == "dl" ? ".so.2" : *library == "rt" ? ".so.1" : ".so.0");
    return Unknown{};
  }
  if (name == "os.getenv" || name == "os.environ.get") {
    const auto* variable = text_argument(arguments, 0);
    if (variable == nullptr) return Unknown{};
    if (const auto* text = this->variable(*variable)) return *text;
    const auto* otherwise = argument(arguments, 1, "default");
    return otherwise == nullptr ? Value(None{}) : *otherwise;
  }
  if (name == "platform.system") return std::string("Linux");
  if (name == "platform.machine") return environment_.machine;
  if (name == "platform.python_implementation") return std::string("CPython");
  if (name == "platform.architecture")
    return heap_.list({std::string(environment_.narrow ? "32bit" : "64bit"), std::string("ELF")});
  if (name == "platform.uname" || name == "sys.getrecursionlimit") return Unknown{};
  if (name == "glob.glob" || name == "glob.iglob") {
    const auto* pattern = text_argument(arguments, 0, "pathname");
    return pattern == nullptr ? Value() : heap_.list(glob(*pattern));
  }
  if (name == "os.listdir") {
    const auto* folder = text_argument(arguments, 0);
    const auto place = folder == nullptr ? std::nullopt : place_of(*folder);
    if (!place) return Unknown{};
    const auto& names = finder_.list(*place);
    heap_.work(names.size());
    return heap_.list({names.begin(), names.end()});
  }
  if (name == "builtins.open") {
    const auto* file = text_argument(arguments, 0);
    if (file != nullptr && *file == "/proc/self/maps") return Named{"process maps file"};
    // Lists of DLLs, as delvewheel's for Python 3.7, decide what is loaded.
    const auto place =
        environment_.windows != nullptr && file != nullptr && arguments.size() == 1 ? place_of(*file) : std::nullopt;
    if (place && is_file(files_, *place)) return Named{std::string(text_file) + *place};
    return Unknown{};
  }
  if (name == "pathlib.Path") {
    std::string path;
    for (const auto& one : arguments) {
      const auto* part = one.value.get<std::string>();
      if (part == nullptr) return Unknown{};
      path = path.empty() ? *part : paths_.join(path, *part);
      if (path.size() > max_length) return Unknown{};
    }
    return path;
  }
  if (name == "builtins.hasattr" || name == "builtins.getattr") {
    const auto* owner = argument(arguments, 0);
    const auto* wanted = text_argument(arguments, 1);
    if (owner == nullptr || wanted == nullptr) return Unknown{};
    const bool asks = name == "builtins.hasattr";
    if (asks && environment_.windows != nullptr)
      if (const auto has = has_on_windows(*owner, *wanted)) return *has;
    if (const auto* module = owner->get<ModuleName>()) {
      // Only programs that PyInstaller and its like have packed have these. Source: PyInstaller, "Run-time
      // Information".
      if (module->name == "sys" && (*wanted == "frozen" || *wanted == "_MEIPASS")) {
        const auto* otherwise = argument(arguments, 2);
        return asks ? Value(false) : otherwise == nullptr ? Value() : *otherwise;
      }
      auto* loaded = find_loaded(module->name);
      if (loaded == nullptr) return Unknown{};
      const auto value = module_attribute(frame, *loaded, *wanted);
      if (asks)
        return value && value->get<Named>() == nullptr && !value->unknown() ? Value(true)
               : value                                                      ? Value()
                                                                            : Value(false);
      if (value) return *value;
      const auto* otherwise = argument(arguments, 2);
      return otherwise == nullptr ? Value() : *otherwise;
    }
    return asks ? Value() : attribute(frame, *owner, *wanted);
  }
  if (name == "builtins.len") {
    const auto* value = argument(arguments, 0);
    if (value == nullptr) return Unknown{};
    if (const auto* list = value->get<List>()) return static_cast<long long>(list->items->size());
    if (const auto* text = value->get<std::string>()) return static_cast<long long>(text->size());
    return Unknown{};
  }
  if (name == "builtins.str" || name == "os.fspath" || name == "os.fsdecode" || name == "os.fsencode") {
    const auto* value = argument(arguments, 0);
    if (value == nullptr) return Unknown{};
    if (const auto* number = value->get<long long>()) return std::to_string(*number);
    return value->get<std::string>() != nullptr ? *value : Value();
  }
  if (name == "builtins.bool") return arguments.empty() ? Value(false) : as_value(truth(arguments[0].value));
  if (name == "builtins.int") {
    const auto* value = argument(arguments, 0);
    if (value != nullptr && value->get<long long>() != nullptr) return *value;
    const auto* text = value == nullptr ? nullptr : value->get<std::string>();
    if (text == nullptr || text->empty() || text->size() > 15 ||
        text->find_first_not_of("0123456789") != std::string::npos)
      return Unknown{};
    return std::atoll(text->c_str());
  }
  if (name == "builtins.list" || name == "builtins.tuple" || name == "builtins.set" || name == "builtins.frozenset" ||
      name == "builtins.sorted" || name == "builtins.iter" || name == "builtins.reversed") {
    if (arguments.empty()) return heap_.list({});
    if (const auto* dict = arguments[0].value.get<Dict>()) {
      heap_.keep(Heap::size_of(*dict->items));
      std::vector<Value> keys;
      for (const auto& [key, value] : *dict->items) keys.push_back(key);
      return heap_.list(std::move(keys));
    }
    const auto* list = arguments[0].value.get<List>();
    if (list == nullptr) return Unknown{};
    auto items = heap_.copy(*list);
    heap_.work(16 * items.size());  // to sort them
    if (name == "builtins.reversed") std::reverse(items.begin(), items.end());
    if (name == "builtins.sorted") {
      if (arguments.size() > 1) return Unknown{};
      for (const auto& item : items)
        if (item.get<std::string>() == nullptr) return heap_.list(std::move(items));
      std::sort(items.begin(), items.end(),
                [](const Value& a, const Value& b) { return *a.get<std::string>() < *b.get<std::string>(); });
    }
    return heap_.list(std::move(items));
  }
  if (name == "builtins.enumerate") {
    const auto* list = arguments.empty() ? nullptr : arguments[0].value.get<List>();
    if (list == nullptr) return Unknown{};
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < list->items->size(); ++i)
      pairs.push_back(heap_.list({static_cast<long long>(i), (*list->items)[i]}));
    return heap_.list(std::move(pairs));
  }
  if (name == "builtins.any" || name == "builtins.all") {
    const auto* list = arguments.empty() ? nullptr : arguments[0].value.get<List>();
    if (list == nullptr) return Unknown{};
    const bool any = name == "builtins.any";
    std::optional<bool> result = !any;
    heap_.work(list->items->size());
    for (const auto& item : *list->items) {
      const auto holds = truth(item);
      if (holds == any) return any;
      if (!holds) result = std::nullopt;
    }
    return as_value(result);
  }
  if (name == "builtins.dict") return arguments.empty() ? Value(heap_.dict()) : Value();
  if (name.starts_with("os.path.")) return call_on_path(name.substr(8), arguments);
  return std::nullopt;
}

/// os.path, by texts and the tree at hand. An argument that is not known makes the answer so.
std::optional<Value> Interpreter::call_on_path(std::string_view name, const Arguments& arguments) {
  std::vector<std::string> parts;
  std::size_t size = 0;
  for (const auto& one : arguments) {
    const auto* part = one.value.get<std::string>();
    if (part == nullptr || !one.keyword.empty()) return Unknown{};
    size += part->size();
    heap_.look_at(size);
    if (size > max_length) return Unknown{};
    parts.push_back(*part);
  }
  if (parts.empty()) return Unknown{};
  const auto& path = parts[0];
  if (name == "join") {
    std::string joined = path;
    for (std::size_t i = 1; i < parts.size(); ++i) joined = paths_.join(joined, parts[i]);
    if (joined.size() > max_length) return Unknown{};
    return joined;
  }
  if (name == "dirname") return paths_.split(path).first;
  if (name == "basename") return paths_.split(path).second;
  if (name == "abspath" || name == "normpath") return paths_.is_full(path) ? Value(paths_.normal(path)) : Value();
  if (name == "realpath") {
    if (!paths_.is_full(path)) return Unknown{};
    const auto place = place_of(path);
    const auto real = place ? files_.real_path(*place) : Result<std::string>(Error{});
    return real ? spelled(*real) : paths_.normal(path);
  }
  if (name == "isabs") return paths_.is_full(path);
  if (name == "exists" || name == "isfile" || name == "isdir" || name == "lexists") {
    if (!paths_.is_full(path)) return Unknown{};
    const auto place = place_of(path);
    const auto status = place ? files_.status(*place) : Result<FileStatus>(Error{});
    if (!status) return false;
    return name == "isfile" ? status->kind == FileKind::regular : name != "isdir" || status->kind == FileKind::folder;
  }
  if (name == "splitext" || name == "split") {
    auto [first, second] = name == "split" ? paths_.split(path) : paths_.split_suffix(path);
    return heap_.list({std::move(first), std::move(second)});
  }
  return Unknown{};
}

/// Methods of texts, paths, lists and dictionaries.
Value Interpreter::call_method(Frame& frame, const Value& self, std::string_view method, const Arguments& arguments) {
  const auto* word = text_argument(arguments, 0);
  if (const auto* named = self.get<Named>()) {
    if (named->name == "process maps file" && method == "read") return Named{"process maps"};
    if (named->name.starts_with(text_file) && method == "read" && arguments.empty())
      if (auto content = read_text(named->name.substr(text_file.size()), max_length)) return std::move(*content);
    if (named->name == "os.environ" && method == "get") return *call_known(frame, "os.environ.get", arguments);
    return Unknown{};
  }
  if (const auto* list = self.get<List>()) {
    if (frame.maybe) return Unknown{};
    if (method == "append" && arguments.size() == 1 && list->items->size() < max_length) {
      heap_.keep(arguments[0].value);
      list->items->push_back(arguments[0].value);
    }
    if (method == "extend" && arguments.size() == 1)
      if (const auto* more = arguments[0].value.get<List>();
          more != nullptr && list->items->size() + more->items->size() < max_length) {
        heap_.keep(Heap::size_of(*more->items));
        const auto items = heap_.copy(*more);  // it may be the same list
        list->items->insert(list->items->end(), items.begin(), items.end());
      }
    if (method == "insert" && arguments.size() == 2) {
      const auto* at = arguments[0].value.get<long long>();
      if (at == nullptr || *at < 0) return Unknown{};
      const auto index = std::min(static_cast<std::size_t>(*at), list->items->size());
      if (list->items->size() >= max_length) return Unknown{};
      heap_.keep(arguments[1].value);
      heap_.work(list->items->size() - index);
      list->items->insert(list->items->begin() + static_cast<std::ptrdiff_t>(index), arguments[1].value);
    }
    return method == "append" || method == "extend" || method == "insert" ? Value(None{}) : Value();
  }
  if (const auto* dict = self.get<Dict>()) {
    std::vector<Value> items;
    bool keys_known = true;
    heap_.work(dict->items->size());
    for (const auto& [key, value] : *dict->items) {
      keys_known = keys_known && !key.unknown();
      if (method == "get" && !arguments.empty() && equal(heap_, key, arguments[0].value) == true) return value;
      if (method == "keys" || method == "values") items.push_back(method == "keys" ? key : value);
      if (method == "items") items.push_back(heap_.list({key, value}));
      if (!items.empty()) heap_.keep(items.back());
    }
    if (method == "items" || method == "keys" || method == "values") return List{heap_.make(std::move(items))};
    if (method == "get" && keys_known && !arguments.empty() && !arguments[0].value.unknown())
      return arguments.size() > 1 ? arguments[1].value : Value(None{});
    if (method == "update" || method == "setdefault" || method == "pop") {
      heap_.keep(2 * sizeof(Value));
      dict->items->emplace_back(Unknown{}, Unknown{});
    }
    return Unknown{};
  }
  const auto& text = *self.get<std::string>();
  heap_.look_at(text.size());
  if (method == "startswith" || method == "endswith") {
    if (word != nullptr) return method == "startswith" ? text.starts_with(*word) : text.ends_with(*word);
    const auto* words = arguments.empty() ? nullptr : arguments[0].value.get<List>();
    if (words == nullptr) return Unknown{};
    heap_.work(words->items->size());
    for (const auto& one : *words->items) {
      const auto* part = one.get<std::string>();
      if (part == nullptr) return Unknown{};
      if (method == "startswith" ? text.starts_with(*part) : text.ends_with(*part)) return true;
    }
    return false;
  }
  if (method == "lower" || method == "upper") {
    auto changed = text;
    for (char& c : changed)
      if (method == "lower" ? (c >= 'A' && c <= 'Z') : (c >= 'a' && c <= 'z')) c = static_cast<char>(c ^ 0x20);
    return changed;
  }
  if (method == "split" && arguments.empty()) {
    std::vector<Value> parts;
    for (const auto part : cudald::split(text, " \t\r\n\f\v"))
      if (!part.empty()) heap_.keep(parts.emplace_back(std::string(part)));
    return heap_.list(std::move(parts));
  }
  if (method == "split" && word != nullptr && word->size() == 1 && arguments.size() == 1) {
    std::vector<Value> parts;
    for (const auto part : cudald::split(text, *word)) heap_.keep(parts.emplace_back(std::string(part)));
    return heap_.list(std::move(parts));
  }
  if ((method == "rsplit" || method == "rpartition") && word != nullptr && !word->empty()) {
    const auto at = text.rfind(*word);
    std::vector<Value> parts;
    if (at == std::string::npos) {
      if (method == "rpartition") parts = {std::string(), std::string()};
      parts.push_back(text);
    } else {
      parts.push_back(text.substr(0, at));
      if (method == "rpartition") parts.push_back(*word);
      parts.push_back(text.substr(at + word->size()));
    }
    return heap_.list(std::move(parts));
  }
  if (method == "replace" && word != nullptr && !word->empty()) {
    const auto* with = text_argument(arguments, 1);
    if (with == nullptr) return Unknown{};
    heap_.look_at(max_length);
    std::string changed;
    std::size_t from = 0;
    for (auto at = text.find(*word); at != std::string::npos; at = text.find(*word, from)) {
      changed.append(text, from, at - from).append(*with);
      if (changed.size() > max_length) return Unknown{};
      from = at + word->size();
    }
    return changed.append(text, from);
  }
  if (method == "join") {
    const auto* list = arguments.empty() ? nullptr : arguments[0].value.get<List>();
    if (list == nullptr) return Unknown{};
    heap_.work(list->items->size());
    heap_.look_at(max_length);
    std::string joined;
    for (const auto& item : *list->items) {
      const auto* part = item.get<std::string>();
      if (part == nullptr) return Unknown{};
      if (&item != list->items->data()) joined += text;
      joined += *part;
      if (joined.size() > max_length) return Unknown{};
    }
    return joined;
  }
  if (method == "format") {
    heap_.look_at(max_length);
    std::string result;
    std::size_t next = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '{') {
        result += text[i];
        continue;
      }
      const auto end = text.find('}', i);
      if (end == std::string::npos) return Unknown{};
      const auto field = text.substr(i + 1, end - i - 1);
      const bool numbered = field.empty() || field.find_first_not_of("0123456789") == std::string::npos;
      const auto position = field.empty()                  ? next++
                            : numbered && field.size() < 4 ? static_cast<std::size_t>(std::atoi(field.c_str()))
                                                           : 9999;
      heap_.work(arguments.size());
      const auto* value = argument(arguments, position, numbered ? std::string_view() : std::string_view(field));
      if (value == nullptr) return Unknown{};
      if (const auto* part = value->get<std::string>())
        result += *part;
      else if (const auto* number = value->get<long long>())
        result += std::to_string(*number);
      else
        return Unknown{};
      if (result.size() > max_length) return Unknown{};
      i = end;
    }
    return result;
  }
  if (method == "strip" || method == "encode" || method == "decode" || method == "expanduser") return text;
  // pathlib
  if (method == "resolve" || method == "absolute") return paths_.is_full(text) ? Value(paths_.normal(text)) : Value();
  if (method == "exists" || method == "is_file" || method == "is_dir")
    return *call_on_path(method == "is_file" ? "isfile" : method == "is_dir" ? "isdir" : "exists", {{"", text}});
  if (method == "joinpath") {
    auto path = text;
    for (const auto& one : arguments) {
      const auto* part = one.value.get<std::string>();
      if (part == nullptr) return Unknown{};
      path = paths_.join(path, *part);
      if (path.size() > max_length) return Unknown{};
    }
    return path;
  }
  if (method == "glob" && word != nullptr) return heap_.list(glob(paths_.join(text, *word)));
  return Unknown{};
}

/// The files and folders that a pattern fits, in the order of their names. Python's own order is that of the folder.
std::vector<Value> Interpreter::glob(const std::string& pattern) {
  std::vector<Value> hits;
  if (environment_.windows != nullptr) return glob_on_windows(pattern);
  if (!pattern.starts_with('/')) return hits;
  std::vector<std::string> paths{""};
  if (pattern.size() > max_pattern) return hits;
  for (const auto part : cudald::split(std::string_view(pattern).substr(1), "/")) {
    std::vector<std::string> next;
    const std::string name(part);
    const bool literal = name.find_first_of("*?[") == std::string::npos;
    for (const auto& path : paths) {
      if (literal) {
        heap_.work(work_of_status);
        if (files_.status(path + "/" + name)) next.push_back(path + "/" + name);
        continue;
      }
      const auto& entries = finder_.list(path.empty() ? "/" : path);
      heap_.work(entries.size() * (8 + name.size()));
      for (const auto& entry : entries)
        if (next.size() < max_hits && fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD) == 0)
          next.push_back(path + "/" + entry);
    }
    paths = std::move(next);
  }
  hits.assign(paths.begin(), paths.end());
  return hits;
}

}  // namespace cudald::python

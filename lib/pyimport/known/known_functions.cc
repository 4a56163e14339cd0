#include "pyimport/known/known_functions.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/ascii.h"
#include "base/at_end.h"

namespace cudald::python {
namespace {

struct Renamed {
  std::string_view from, to;
};

/// The same function under each name by which it is reached.
constexpr Renamed other_names[] = {{"posixpath.", "os.path."},
                                   {"ntpath.", "os.path."},
                                   {"genericpath.", "os.path."},
                                   {"nt._isdir", "os.path.isdir"},  // ntpath.isdir before Python 3.12
                                   {"nt._path_", "os.path."},       // ntpath.isdir and others from 3.12 on
                                   {"posix._path_", "os.path."},    // posixpath.normpath from 3.13 on
                                   {"posix.", "os."},
                                   {"nt.", "os."},
                                   {"ctypes.LibraryLoader.LoadLibrary", "ctypes.CDLL"},
                                   {"ctypes.cdll.LoadLibrary", "ctypes.CDLL"},
                                   {"ctypes.pydll.LoadLibrary", "ctypes.CDLL"},
                                   {"ctypes.PyDLL", "ctypes.CDLL"},
                                   {"ctypes.windll.LoadLibrary", "ctypes.CDLL"},
                                   {"ctypes.oledll.LoadLibrary", "ctypes.CDLL"},
                                   {"ctypes.WinDLL", "ctypes.CDLL"},
                                   {"ctypes.OleDLL", "ctypes.CDLL"},
                                   {"_functools.partial", "functools.partial"},
                                   {"pathlib._local.", "pathlib."},
                                   {"pathlib.PurePath", "pathlib.Path"},
                                   {"pathlib.PosixPath", "pathlib.Path"},
                                   {"pathlib.WindowsPath", "pathlib.Path"},
                                   {"importlib._bootstrap_external.", "importlib.machinery."},
                                   {"_frozen_importlib_external.", "importlib.machinery."},
                                   {"importlib._common.files", "importlib.resources.files"},
                                   {"importlib.resources._common.files", "importlib.resources.files"},
                                   {"importlib_resources._common.files", "importlib.resources.files"},
                                   {"importlib_resources.", "importlib.resources."},
                                   {"importlib_metadata.", "importlib.metadata."},
                                   {"importlib.__import__", "builtins.__import__"}};

using Table = std::unordered_map<std::string_view, Value (*)(const KnownCall&)>;

const Table& table() {
  static const Table all = [] {
    Table rows;
    for (const auto part :
         {known_builtins(), known_contexts(), known_decorators(), known_entry_points(), known_frames(), known_gpu(),
          known_imports(), known_libraries(), known_messages(), known_operators(), known_paths(), known_patterns(),
          known_system(), known_types(), known_versions()})
      for (const auto& row : part) rows.emplace(row.name, row.call);
    return rows;
  }();
  return all;
}

template <std::size_t count>
const KnownMethod* find_method(const std::span<const KnownMethod> (&tables)[count], std::string_view name) {
  for (const auto& methods : tables)
    for (const auto& method : methods)
      if (method.name == name) return &method;
  return nullptr;
}

/// What other names begin with.
constexpr auto begins_other_name = [] {
  std::array<bool, 256> begins{};
  for (const auto& one : other_names) begins[static_cast<unsigned char>(one.from.front())] = true;
  return begins;
}();

/// The name by which the table has it; empty if it is this one. Packages bring copies of packaging along, below a name
/// of their own: `setuptools._vendor.packaging`, `sklearn.externals._packaging`.
std::string other_name(std::string_view name) {
  constexpr std::string_view copied = "packaging.version.Version";
  if (name.size() > copied.size() && name.ends_with(copied) && !is_letter(name[name.size() - copied.size() - 1]))
    return std::string(copied);
  if (name.empty() || !begins_other_name[static_cast<unsigned char>(name.front())]) return {};
  for (const auto& [from, to] : other_names)
    if (name.size() >= from.size() && name[from.size() - 1] == from.back() && name.starts_with(from))
      return std::string(to) + std::string(name.substr(from.size()));
  return {};
}

}  // namespace

bool is_known_function(std::string_view name) { return table().contains(name); }

const Value* KnownCall::argument(std::size_t position, std::string_view keyword) const {
  std::size_t at = 0;
  for (const auto& one : arguments) {
    if (!keyword.empty() && one.keyword == keyword) return &one.value;
    if (one.keyword.empty() && at++ == position) return &one.value;
  }
  return nullptr;
}

const std::string* KnownCall::text(std::size_t position, std::string_view keyword) const {
  const auto* value = argument(position, keyword);
  return value == nullptr ? nullptr : value->get<std::string>();
}

void KnownCall::refuse_none(std::size_t position, std::string message, std::string_view keyword) const {
  if (const auto* value = argument(position, keyword))
    python.doubt.refuse_none(frame, *value, {"TypeError", std::move(message)});
}

std::optional<ListItems> KnownCall::items(std::size_t position) const {
  const auto* value = argument(position);
  return value == nullptr ? std::nullopt : python.calls.items_of(frame, *value);
}

bool Calls::knows(std::string_view name) const { return is_known_function(name) || rules_.functions.contains(name); }

std::optional<Value> Calls::call_known(Frame& frame, std::string_view name, const Arguments& arguments) {
  const auto renamed = other_name(name);
  if (!renamed.empty()) name = renamed;
  if (environment_.windows != nullptr)
    if (auto value = python_.requests.call_on_windows(frame, name, arguments)) return value;
  auto row = table().find(name);
  std::string_view built_for;
  if (row == table().end()) {
    const auto stand_in = rules_.functions.find(name);
    if (stand_in == rules_.functions.end()) return std::nullopt;
    row = table().find(stand_in->second.as);
    built_for = stand_in->second.built_for;
  }
  if (row == table().end()) return std::nullopt;
  constexpr std::string_view path_makers[] = {
      "pathlib.",   "importlib.resources.files", "importlib.resources.path", "importlib.metadata.files", "os.scandir",
      "os.fsencode"};
  auto value = row->second({python_, frame, arguments, built_for});
  const bool makes_paths = std::any_of(std::begin(path_makers), std::end(path_makers),
                                       [&](std::string_view maker) { return name.starts_with(maker); });
  return makes_paths ? no_str(std::move(value)) : std::move(value);
}

namespace {

std::vector<Value> lines_with_ends(const std::string& text) {
  std::vector<Value> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

}  // namespace

/// Methods of texts, paths, lists, dictionaries, and of what is known by its name.
Value Calls::call_method(Frame& frame, const Value& self, std::string_view method, const Arguments& arguments) {
  const KnownCall call{python_, frame, arguments};
  const KnownMethod* known = nullptr;
  if (const auto* named = self.get<Named>()) return call_named(call, named->name, method);
  if (const auto* thing = self.get<Thing>()) return call_thing(call, *thing, method);
  if (self.get<List>() != nullptr) known = find_method({list_methods()}, method);
  if (self.get<Dict>() != nullptr) known = find_method({dict_methods()}, method);
  if (self.get<std::string>() != nullptr) known = find_method({text_methods(), path_methods()}, method);
  if (known != nullptr) {
    const bool stays = self.is_no_str || method == "encode";
    auto value = known->call(call, self);
    return stays ? no_str(std::move(value)) : value;
  }
  if (self.get<Dict>() != nullptr && !self.doubtful) python_.bindings.refuse_name_of_python_2(frame, "dict", method);
  // Of the other methods of lists and dictionaries some change them.
  if (self.get<List>() != nullptr || self.get<Dict>() != nullptr) python_.escapes.escape(self);
  return python_.escapes.opaque_call(arguments);
}

Value Calls::call_named(const KnownCall& call, const std::string& name, std::string_view method) {
  if (name == process_maps_file && method == "read") return Named{std::string(process_maps)};
  if (name == exit_stack && method == "enter_context")
    return call.argument(0) == nullptr ? Value() : python_.with_statements.entered(call.frame, *call.argument(0));
  if (name == "os.environ" && (method == "get" || method == "setdefault" || method == "pop" || method == "update"))
    return *call_known(call.frame, "os.environ." + std::string(method), call.arguments);
  if (name == "sys.modules" && method == "copy") return Named{"sys.modules"};
  if (name == "sys.modules" && method == "keys") return heap_.list(python_.sys_modules.module_names());
  if (name == "sys.modules" && (method == "get" || method == "pop")) {
    const auto* module = call.text(0);
    if (module == nullptr) return Unknown{};
    if (python_.sys_modules.find_loaded(*module) == nullptr) {
      python_.doubt.touch(python_.sys_modules.may_be_loaded_unseen(*module));
      const auto* otherwise = call.argument(1);
      if (otherwise != nullptr) return *otherwise;
      return method == "get" ? Value(None{}) : Value();
    }
    return ModuleName{method == "pop" && !call.frame.maybe ? python_.sys_modules.take_out_module(*module) : *module};
  }
  return Unknown{};
}

/// Methods of open files, and of what globals() gives.
Value Calls::call_thing(const KnownCall& call, const Thing& thing, std::string_view method) {
  if (thing.kind == ThingKind::text_file) {
    auto content = python_.host.read_text(*thing.text, max_length);
    if (!content) return Unknown{};
    if (method == "read" && call.arguments.empty()) return std::move(*content);
    if (method == "readlines") return heap_.list(lines_with_ends(*content));
  }
  if (thing.kind == ThingKind::globals) {
    if (method == "update") return update_globals(call, *thing.text);
    const auto* wanted = method == "get" ? call.text(0) : nullptr;
    if (wanted != nullptr) return python_.bindings.global(*thing.text, *wanted);
    change_globals(call, *thing.text, method);
  }
  return Unknown{};
}

void Calls::sort(const KnownCall& call, std::vector<Value>& items) {
  const auto* direction = call.argument(99, "reverse");
  const bool reverse = direction != nullptr && truth(*direction) == true;
  const auto* key = call.argument(99, "key");
  if (key == nullptr || key->get<None>() != nullptr) {
    if (sort_items(heap_, items) && reverse) std::reverse(items.begin(), items.end());
    return;
  }
  // The key is code, which may look at the list and change it: until all are known the list is empty, and what was put
  // into it meanwhile is gone. Source: CPython 3.11 Objects/listobject.c, list_sort_impl.
  auto taken = std::exchange(items, {});
  const AtEnd put_back([&] { items = std::move(taken); });
  std::vector<Value> keys;
  for (const auto& item : taken) {
    count_steps(1);
    keys.push_back(this->call(call.frame, *key, {{"", item}}));
  }
  sort_by_keys(heap_, taken, std::move(keys), reverse);
}

/// Of `globals()`, another method than those two.
void Calls::change_globals(const KnownCall& call, const std::string& module, std::string_view method) {
  constexpr std::string_view reading[] = {"items", "keys", "values", "copy", "__contains__", "__getitem__"};
  const auto* key = call.argument(0);
  if (std::find(std::begin(reading), std::end(reading), method) != std::end(reading)) return;
  if (method == "pop" && key != nullptr) return take_from_globals(call.frame, module, *key);
  python_.bindings.lose_names(module);
}

/// `del globals()[key]`
void Calls::take_from_globals(const Frame& frame, const std::string& module, const Value& key) {
  const auto* name = key.get<std::string>();
  auto* loaded = python_.sys_modules.find_loaded(module);
  if (loaded == nullptr) return;
  if (name == nullptr || key.doubtful || frame.maybe) return python_.bindings.lose_names(module);
  loaded->names.erase(*name);
}

/// `globals().update(...)`; of the names of a package its place is one.
Value Calls::update_globals(const KnownCall& call, const std::string& module) {
  auto* into = python_.sys_modules.find_loaded(module);
  const auto* given = call.argument(0);
  if (into == nullptr || call.arguments.empty()) return Unknown{};
  const auto* entries = given == nullptr ? nullptr : given->get<Dict>();
  const auto* source = given == nullptr ? nullptr : given->thing(ThingKind::globals);
  const auto* other = source != nullptr ? python_.sys_modules.find_loaded(*source) : nullptr;
  const bool all_known = entries != nullptr ? !has(entries->items->doubt(), ListDoubt::may_hold_more) &&
                                                  !python_.escapes.is_doubtful(*given)
                                            : other != nullptr && other->names_known();
  if (call.frame.maybe || !all_known) python_.bindings.lose_names(into->name);
  if (call.frame.maybe) return Unknown{};
  if (other != nullptr && other != into) {
    heap_.work(other->names.size());
    for (const auto& [key, value] : other->names) {
      heap_.keep(sizeof(Value) + key.size() + Heap::size_of(value));
      into->names.insert_or_assign(key, value);
    }
    if (!other->search.empty() && into->package) into->search = other->search;
  }
  if (entries != nullptr)
    for (const auto& [key, value, may_lack] : *entries->items)
      if (const auto* text = key.get<std::string>())
        python_.bindings.set_attribute(call.frame, ModuleName{into->name}, *text, value);
  return None{};
}

}  // namespace cudald::python

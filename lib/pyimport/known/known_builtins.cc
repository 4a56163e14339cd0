#include <algorithm>
#include <map>

#include "base/trimmed.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"
#include "pyimport/known/sys_names.h"
#include "pyimport/run/builtin_names.h"

namespace cudald::python {
namespace {

Value length(const KnownCall& call) {
  const auto* value = call.argument(0);
  if (value == nullptr) return Unknown{};
  call.refuse_none(0, "object of type 'NoneType' has no len()");
  if (const auto* text = value->get<std::string>())
    return is_ascii(call.python.heap, *text) ? Value(static_cast<long long>(text->size())) : Value();
  const auto items = call.items(0);
  return items && !items->in_doubt() ? Value(static_cast<long long>(items->size())) : Value();
}

Value text_of(const KnownCall& call) {
  const auto* value = call.argument(0);
  if (value == nullptr) return Unknown{};
  if (const auto* number = value->get<long long>()) return std::to_string(*number);
  if (const auto message = call.python.raise_statements.message_of(*value)) return *message;
  if (const auto* digits = value->thing(ThingKind::float_number)) return *digits;
  if (const auto* behind = text_behind(*value, {"__str__"})) return std::string(*behind);
  if (const auto* version = value->thing(ThingKind::version)) return *version;
  return value->get<std::string>() != nullptr ? *value : Value();
}

Value flag(const KnownCall& call) {
  return call.arguments.empty() ? Value(false) : as_value(truth(call.arguments[0].value));
}

/// Whether int() takes a text; nothing of one with letters beyond ASCII, which have digits of their own, or one that
/// Python would print with escapes. Source: CPython 3.11 Doc/library/functions.rst, int.
std::optional<bool> is_integer(std::string_view text) {
  const auto printed_as_is = [](char c) { return c >= ' ' && c < '\x7f' && c != '\'' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), printed_as_is)) return std::nullopt;
  auto digits = trimmed(text);
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  const bool all = digits.find_first_not_of("0123456789_") == std::string_view::npos;
  const bool joined = digits.starts_with('_') || digits.ends_with('_') || digits.find("__") != std::string_view::npos;
  return !digits.empty() && all && !joined;
}

/// What Python says of None where a number belongs, to int() and to float().
std::string no_number(const KnownCall& call, const std::string& begin) {
  constexpr int real_number_since = 10;
  return begin + (minor_of(call.python.environment.version) < real_number_since ? "" : "real ") +
         "number, not 'NoneType'";
}

Value number(const KnownCall& call) {
  const auto* value = call.argument(0);
  if (value != nullptr && value->get<long long>() != nullptr) return *value;
  if (value != nullptr && value->get<bool>() != nullptr) return *value->get<bool>() ? 1LL : 0LL;
  if (call.arguments.size() == 1)
    call.refuse_none(0, no_number(call, "int() argument must be a string, a bytes-like object or a "));
  const auto* text = call.text(0);
  if (text == nullptr || text->size() > 15) return Unknown{};
  if (!text->empty() && text->find_first_not_of("0123456789") == std::string::npos) return std::atoll(text->c_str());
  if (is_integer(*text).value_or(true)) return Unknown{};
  if (call.arguments.size() == 1 && call.python.handlers.caught_for_all("ValueError") && !call.frame.maybe)
    throw PythonError{"ValueError", "invalid literal for int() with base 10: '" + *text + "'"};
  if (call.arguments.size() == 1)
    call.python.doubt.raise_if_certain(call.frame,
                                       {"ValueError", "invalid literal for int() with base 10: '" + *text + "'"});
  return Unknown{};
}

Value real_number(const KnownCall& call) {
  call.refuse_none(0, no_number(call, "float() argument must be a string or a "));
  return Unknown{};
}

Value list(const KnownCall& call) {
  if (call.arguments.empty()) return call.python.heap.list({});
  auto items = call.items(0);
  return items ? call.python.heap.list(std::move(*items)) : Value();
}

Value reversed(const KnownCall& call) {
  auto items = call.items(0);
  if (!items) return Unknown{};
  std::reverse(items->begin(), items->end());
  return call.python.heap.list(std::move(*items));
}

Value set(const KnownCall& call) {
  if (call.arguments.empty()) return call.python.heap.set({});
  auto items = call.items(0);
  if (!items) return Unknown{};
  const auto doubt = items->doubt;
  return call.python.heap.set({without_doubles(call.python.heap, std::move(*items)), doubt});
}

Value sorted(const KnownCall& call) {
  auto items = call.items(0);
  if (!items) return Unknown{};
  call.python.calls.sort(call, *items);
  return call.python.heap.list(std::move(*items));
}

Value enumerated(const KnownCall& call) {
  const auto items = call.items(0);
  if (!items) return Unknown{};
  const auto* start = call.argument(1, "start");
  const auto* number = start == nullptr ? nullptr : start->get<long long>();
  const bool is_known = start == nullptr || number != nullptr;
  std::vector<Value> pairs;
  for (const auto& item : *items) {
    long long at = 0;
    const bool fits = !__builtin_add_overflow(number == nullptr ? 0LL : *number, pairs.size(), &at);
    pairs.push_back(call.python.heap.list({is_known && fits ? Value(at) : Value(), item}));
  }
  return call.python.heap.list({std::move(pairs), items->doubt});
}

Value zipped(const KnownCall& call) {
  std::vector<ListItems> all;
  auto doubt = ListDoubt::none;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    auto items = call.items(i);
    if (!items) return Unknown{};
    doubt = std::max(doubt, items->doubt);
    all.push_back(std::move(*items));
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; !all.empty(); ++i) {
    std::vector<Value> row;
    for (const auto& items : all)
      if (i < items.size()) row.push_back(items[i]);
    if (row.size() < all.size()) break;
    rows.push_back(call.python.heap.list(std::move(row)));
  }
  return call.python.heap.list({std::move(rows), doubt});
}

Value mapped(const KnownCall& call) {
  const auto items = call.items(1);
  if (!items || call.arguments.size() != 2) return Unknown{};
  std::vector<Value> results;
  for (const auto& item : *items) {
    call.python.calls.count_steps(1);
    results.push_back(call.python.calls.call(call.frame, call.arguments[0].value, {{"", item}}));
  }
  return call.python.heap.list({std::move(results), items->doubt});
}

Value filtered(const KnownCall& call) {
  const auto items = call.items(1);
  if (!items) return Unknown{};
  std::vector<Value> results;
  const auto& test = call.arguments[0].value;
  for (const auto& item : *items) {
    call.python.calls.count_steps(1);
    const auto holds =
        truth(test.get<None>() != nullptr ? item : call.python.calls.call(call.frame, test, {{"", item}}));
    if (!holds) return Unknown{};
    if (*holds) results.push_back(item);
  }
  return call.python.heap.list({std::move(results), items->doubt});
}

/// The first item: an iterator that was used before is not told apart.
Value next(const KnownCall& call) {
  const auto items = call.items(0);
  if (!items || items->in_doubt()) return Unknown{};
  if (!items->empty()) return items->front();
  if (const auto* otherwise = call.argument(1)) return *otherwise;
  if (call.frame.maybe) return Unknown{};
  if (call.python.handlers.caught_for_all("StopIteration")) throw PythonError{"StopIteration", ""};
  call.python.doubt.raise_if_certain(call.frame, {"StopIteration", ""});
  return Unknown{};
}

Value extreme(const KnownCall& call, int sign) {
  auto items = call.arguments.size() == 1 ? call.items(0) : std::optional<ListItems>();
  if (call.arguments.size() > 1) {
    items.emplace();
    for (const auto& argument : call.arguments) {
      if (!argument.keyword.empty()) {
        call.python.escapes.escape(argument.value);
        return Unknown{};
      }
      items->push_back(argument.value);
    }
  }
  if (!items || items->empty() || items->in_doubt()) return Unknown{};
  auto best = items->front();
  for (const auto& item : *items) {
    const auto order = compare(call.python.heap, item, best);
    if (!order) return Unknown{};
    if (*order * sign > 0) best = item;
  }
  return best;
}
Value largest(const KnownCall& call) { return extreme(call, 1); }
Value smallest(const KnownCall& call) { return extreme(call, -1); }

Value any_or_all(const KnownCall& call, bool stops_at) {
  const auto items = call.items(0);
  if (!items || has(items->doubt, ListDoubt::may_lack)) return Unknown{};
  std::optional<bool> result = items->in_doubt() ? std::nullopt : std::optional(!stops_at);
  for (const auto& item : *items) {
    const auto holds = truth(item);
    if (holds == stops_at) return stops_at;
    if (!holds) result = std::nullopt;
  }
  return as_value(result);
}
Value any(const KnownCall& call) { return any_or_all(call, true); }
Value all(const KnownCall& call) { return any_or_all(call, false); }

Value range(const KnownCall& call) {
  long long bounds[3] = {0, 0, 1};
  if (call.arguments.empty() || call.arguments.size() > std::size(bounds)) return Unknown{};
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* number = call.arguments[i].value.get<long long>();
    if (number == nullptr) return Unknown{};
    bounds[call.arguments.size() == 1 ? 1 : i] = *number;
  }
  std::vector<Value> numbers;
  constexpr std::uint64_t most = 1000;
  const auto [from, to, step] = bounds;
  if (step == 0) return Unknown{};
  // Bounds may be as far apart as numbers can be.
  const auto low = static_cast<std::uint64_t>(std::min(from, to)),
             high = static_cast<std::uint64_t>(std::max(from, to));
  const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const auto count = (step > 0) == (from < to) && from != to ? (high - low - 1) / stride + 1 : 0;
  if (count > most) return Unknown{};
  for (std::uint64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<long long>(static_cast<std::uint64_t>(from) + i * static_cast<std::uint64_t>(step)));
  return call.python.heap.list(std::move(numbers));
}

Value dict(const KnownCall& call) {
  auto result = call.python.heap.dict();
  if (call.argument(0) != nullptr) {
    const auto* other = call.argument(0)->get<Dict>();
    if (other == nullptr) return Unknown{};
    *result.items = call.python.heap.copy(*other);
  }
  for (const auto& argument : call.arguments) put_keyword(call.python.heap, *result.items, argument, false);
  return result;
}

/// What code asks for to know where it runs: only PyPy, debug builds, programs that PyInstaller and its like have
/// packed and other systems have it. Source: CPython 3.11 Doc/library/sys.rst and os.rst; PyInstaller, "Run-time
/// Information".
bool is_not_of_cpython(const KnownCall& call, const ModuleName& module, const std::string& name) {
  constexpr std::string_view of_sys[] = {"frozen",           "_MEIPASS",          "real_prefix", "pypy_version_info",
                                         "gettotalrefcount", "getandroidapilevel"};
  constexpr std::string_view of_windows[] = {"add_dll_directory", "startfile"};
  if (module.name == "sys" && name == "getwindowsversion") return call.python.environment.windows == nullptr;
  if (module.name == "sys") return std::find(std::begin(of_sys), std::end(of_sys), name) != std::end(of_sys);
  return module.name == "os" && call.python.environment.windows == nullptr &&
         std::find(std::begin(of_windows), std::end(of_windows), name) != std::end(of_windows);
}

/// Of a library that ctypes has opened, whether it has a symbol; nothing if that is not known, and of other values.
std::optional<bool> symbol_is_there(const KnownCall& call, const Value& owner, std::string_view symbol) {
  const auto* library = owner.thing(ThingKind::library);
  if (library == nullptr) return std::nullopt;
  const Handler handler(call.python, {"AttributeError"});
  try {
    const auto value = call.python.requests.function_of_library(call.frame, *library, symbol);
    return value.unknown() ? std::nullopt : std::optional(true);
  } catch (const PythonError&) {
    return false;
  }
}

Value get_attribute(const KnownCall& call) {
  const auto* owner = call.argument(0);
  const auto* wanted = call.text(1);
  const auto* otherwise = call.argument(2);
  if (owner == nullptr) return Unknown{};
  const auto* module = owner->get<ModuleName>();
  if (wanted == nullptr) {
    auto* loaded = module == nullptr ? nullptr : call.python.sys_modules.find_loaded(module->name);
    loaded != nullptr ? call.python.escapes.escape_attribute(*loaded) : call.python.escapes.escape(*owner);
    return Unknown{};
  }
  if (const auto there = symbol_is_there(call, *owner, *wanted); there == false && otherwise != nullptr)
    return *otherwise;
  if (module == nullptr) {
    if (otherwise != nullptr && owner->get<None>() != nullptr && !wanted->starts_with("__")) return *otherwise;
    if (otherwise == nullptr) return call.python.bindings.attribute(call.frame, *owner, *wanted);
    // Asked before: asking the object for it would be a reason to know it no longer.
    if (call.python.bindings.surely_lacks(*owner, *wanted)) return *otherwise;
    const Handler handler(call.python, {"AttributeError"});
    try {
      return call.python.bindings.attribute(call.frame, *owner, *wanted);
    } catch (const PythonError& error) {
      if (!catches({"AttributeError"}, error)) throw;
      return *otherwise;
    }
  }
  if (is_not_of_cpython(call, *module, *wanted)) return otherwise == nullptr ? Value() : *otherwise;
  if (otherwise == nullptr) return call.python.bindings.attribute(call.frame, *owner, *wanted);
  auto* loaded = call.python.sys_modules.find_loaded(module->name);
  if (loaded == nullptr) return Unknown{};
  const auto value = call.python.bindings.module_attribute(call.frame, *loaded, *wanted);
  const bool lacks = !value || call.python.import_statements.lacks_name(call.frame, *loaded, *wanted, value);
  return lacks ? *otherwise : *value;
}

Value has_attribute(const KnownCall& call) {
  const auto* owner = call.argument(0);
  const auto* wanted = call.text(1);
  if (owner == nullptr || wanted == nullptr) return Unknown{};
  if (const auto there = symbol_is_there(call, *owner, *wanted)) return *there;
  if (call.python.environment.windows != nullptr)
    if (const auto has = call.python.requests.has_on_windows(*owner, *wanted)) return *has;
  if (const auto* named = owner->get<Named>(); named != nullptr && call.python.calls.knows(named->name + "." + *wanted))
    return true;
  const auto* module = owner->get<ModuleName>();
  if (module == nullptr) return call.python.bindings.surely_lacks(*owner, *wanted) ? Value(false) : Value();
  if (is_not_of_cpython(call, *module, *wanted)) return false;
  auto* loaded = call.python.sys_modules.find_loaded(module->name);
  const bool is_own =
      module->name == "sys" ? is_name_of_sys(*wanted) : module->name != "builtins" || is_builtin_name(*wanted);
  if (!is_own && (loaded == nullptr || !loaded->names.contains(*wanted))) {
    // Other code may have put it there.
    call.python.doubt.touch(!call.python.absent_names.is_in_no_other(call.frame, *wanted));
    return false;
  }
  if (loaded == nullptr) return Unknown{};
  const auto value = call.python.bindings.module_attribute(call.frame, *loaded, *wanted);
  if (!value || call.python.import_statements.lacks_name(call.frame, *loaded, *wanted, value)) return false;
  return !value->is_named() && !value->unknown() ? Value(true) : Value();
}

Value set_attribute(const KnownCall& call) {
  const auto *owner = call.argument(0), *value = call.argument(2);
  const auto* name = call.text(1);
  if (owner != nullptr && name != nullptr && value != nullptr)
    call.python.bindings.set_attribute(call.frame, *owner, *name, *value);
  if (owner != nullptr && name == nullptr) call.python.escapes.escape(*owner);
  if (owner != nullptr && name == nullptr && owner->unknown()) call.frame.module->doubtful = true;
  // So does one of several names, of which others may be there.
  const bool all_known = name != nullptr && !call.argument(1)->doubtful;
  const auto* module = owner == nullptr || all_known ? nullptr : owner->get<ModuleName>();
  if (module != nullptr) call.python.bindings.lose_names(module->name);
  return None{};
}

Value globals(const KnownCall& call) { return Thing(ThingKind::globals, call.frame.module->name); }

/// locals(), and vars() of nothing: at the top of a module its globals. `vars(module)` is that module's.
Value locals(const KnownCall& call) {
  const auto& frame = call.frame;
  const bool at_top = frame.scope == nullptr && frame.class_names == nullptr && !frame.in_function;
  if (call.arguments.empty() && at_top) return globals(call);
  const auto* object = call.arguments.size() != 1 ? nullptr : call.argument(0)->get<ObjectRef>();
  if (object != nullptr && (*object)->is_class) {  // which can only be read; what it holds may be changed all the same
    for (const auto& [name, held] : (*object)->names)
      if (held.get<std::shared_ptr<const Function>>() == nullptr) call.python.escapes.escape(held);
    return Unknown{};
  }
  const auto* module = call.arguments.size() != 1 ? nullptr : call.argument(0)->get<ModuleName>();
  return module != nullptr ? Thing(ThingKind::globals, module->name) : call.python.escapes.opaque_call(call.arguments);
}

Value with_binding(const KnownCall& call, Function::Binding binding) {
  const auto* value = call.argument(0);
  const auto* function = value == nullptr ? nullptr : value->get<std::shared_ptr<const Function>>();
  if (function == nullptr) return Unknown{};
  auto copy = call.python.heap.make<Function>(Function(**function));
  copy->binding = binding;
  if (copy->names != nullptr) copy->names = call.python.heap.make<Names>(*copy->names);
  return std::shared_ptr<const Function>(std::move(copy));
}
Value static_method(const KnownCall& call) { return with_binding(call, Function::Binding::none); }
Value class_method(const KnownCall& call) { return with_binding(call, Function::Binding::type); }
Value property(const KnownCall& call) { return with_binding(call, Function::Binding::property); }

Value open_file(const KnownCall& call) {
  call.refuse_none(0, no_path, "file");
  const auto* file = call.text(0, "file");
  if (file == nullptr) return Unknown{};
  if (*file == "/proc/self/maps") return Named{std::string(process_maps_file)};
  const auto* mode = call.text(1, "mode");
  if (mode != nullptr && mode->find_first_of("wax+") != std::string::npos) return Unknown{};
  const auto place = call.python.host.place_of(*file);
  if (!place || !is_file(call.python.files, *place)) return Unknown{};
  return Thing(ThingKind::text_file, *place);
}

/// What a module says that it has.
Value names_of(const KnownCall& call) {
  const auto* module = call.argument(0) == nullptr ? nullptr : call.argument(0)->get<ModuleName>();
  auto* loaded = module == nullptr ? nullptr : call.python.sys_modules.find_loaded(module->name);
  if (loaded == nullptr || loaded->opaque) return Unknown{};
  if (const auto own = loaded->names.find("__dir__"); own != loaded->names.end()) {
    const auto function = own->second;  // it may be bound anew while it runs
    return call.python.calls.call(call.frame, function, {});
  }
  if (!loaded->names_known()) return Unknown{};
  std::vector<Value> names;
  for (const auto& [name, value] : loaded->names) names.emplace_back(name);
  std::sort(names.begin(), names.end(),
            [](const Value& a, const Value& b) { return *a.get<std::string>() < *b.get<std::string>(); });
  return call.python.heap.list(std::move(names));
}

/// Of an instance its class.
/// Code is kept as its text.
Value compiled(const KnownCall& call) {
  const auto* text = call.text(0, "source");
  return text == nullptr ? Value() : *text;
}

/// Text that is run as code, in the frame of the caller or among names of its own, those of a dictionary if it is
/// given.
Value execute(const KnownCall& call) {
  const auto* text = call.text(0);
  if (!follows(call.frame)) return None{};
  // Functions that make functions of texts are many; what a module runs of its own may be all of it.
  const bool told = !call.frame.in_function && call.frame.source != nullptr && call.argument(0) != nullptr &&
                    !call.python.finder.in_standard_library(call.frame.source->path());
  if (text == nullptr && told) call.python.tracker.unfollowed(call.frame, Unfollowed::Kind::code);
  if (text == nullptr) {
    call.frame.module->doubtful = true;
    for (const auto& argument : call.arguments) call.python.escapes.escape(argument.value);
    return None{};
  }
  Frame inner = call.frame;
  const auto path = inner.source == nullptr ? inner.module->path : inner.source->path();
  inner.source = call.python.host.keep_source(call.python.host.parse(path, *text));
  const auto* globals = call.arguments.size() == 2 ? call.arguments[1].value.thing(ThingKind::globals) : nullptr;
  const bool in_module = globals != nullptr && *globals == inner.module->name;
  if (in_module) inner.scope.reset(), inner.in_function = false;
  if (call.arguments.size() <= 1 || in_module) {
    call.python.statements.run(inner, inner.source->block());
    return None{};
  }
  inner.scope = call.python.heap.make<Scope>();
  inner.scope->outer = call.frame.scope;
  inner.in_function = true;
  const auto* names = call.arguments.back().value.get<Dict>();
  if (names != nullptr)
    for (const auto& [key, value, may_lack] : *names->items)
      if (const auto* name = key.get<std::string>()) inner.scope->names.insert_or_assign(*name, value);
  call.python.statements.run(inner, inner.source->block());
  if (names == nullptr || call.frame.maybe) return None{};
  std::vector<Value> gone;
  for (const auto& [key, value, may_lack] : *names->items)
    if (const auto* name = key.get<std::string>(); name != nullptr && !inner.scope->names.contains(*name))
      gone.push_back(key);
  for (const auto& key : gone) names->items->remove(call.python.heap, key, false);
  const std::map<std::string_view, Value> in_order(inner.scope->names.begin(), inner.scope->names.end());
  for (const auto& [name, value] : in_order) names->items->put(call.python.heap, std::string(name), value, false);
  return None{};
}

constexpr KnownFunction builtin_rows[] = {{"builtins.len", length},
                                          {"builtins.str", text_of},
                                          {"builtins.bool", flag},
                                          {"builtins.int", number},
                                          {"builtins.float", real_number},
                                          {"builtins.list", list},
                                          {"builtins.tuple", list},
                                          {"builtins.set", set},
                                          {"builtins.frozenset", set},
                                          {"builtins.iter", list},
                                          {"builtins.reversed", reversed},
                                          {"builtins.sorted", sorted},
                                          {"builtins.enumerate", enumerated},
                                          {"builtins.zip", zipped},
                                          {"builtins.map", mapped},
                                          {"builtins.filter", filtered},
                                          {"builtins.next", next},
                                          {"builtins.max", largest},
                                          {"builtins.min", smallest},
                                          {"builtins.any", any},
                                          {"builtins.all", all},
                                          {"builtins.range", range},
                                          {"builtins.dict", dict},
                                          {"builtins.getattr", get_attribute},
                                          {"builtins.hasattr", has_attribute},
                                          {"builtins.setattr", set_attribute},
                                          {"builtins.globals", globals},
                                          {"builtins.locals", locals},
                                          {"builtins.vars", locals},
                                          {"builtins.open", open_file},
                                          {"builtins.exec", execute},
                                          {"builtins.compile", compiled},
                                          {"builtins.dir", names_of},
                                          {"builtins.staticmethod", static_method},
                                          {"builtins.classmethod", class_method},
                                          {"builtins.property", property},
                                          {"io.open", open_file}};

}  // namespace

std::span<const KnownFunction> known_builtins() { return builtin_rows; }

}  // namespace cudald::python

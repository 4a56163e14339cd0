#include "pyimport/run/interpreter.h"

#include <algorithm>

#include "base/path.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"
#include "pyimport/run/builtin_names.h"

namespace cudald::python {
namespace {

/// Built in elsewhere: in IPython, in Python 2. Code asks for them to know where it is.
constexpr std::string_view names_elsewhere[] = {"get_ipython", "__IPYTHON__", "unicode", "basestring", "xrange",
                                                "raw_input",   "unichr",      "long",    "reload",     "execfile"};

/// The same, or one that only the build of a package sets: __NUMPY_SETUP__, __SKLEARN_SETUP__.
bool is_built_in_elsewhere(std::string_view name) {
  return (name.starts_with("__") && name.ends_with("_SETUP__")) ||
         std::find(std::begin(names_elsewhere), std::end(names_elsewhere), name) != std::end(names_elsewhere);
}

/// __package__: the module itself if it is one, else what it is in, which is nothing at the top.
std::string package_of(const Module& module) {
  const auto dot = module.name.rfind('.');
  if (module.package) return module.name;
  return dot == std::string::npos ? std::string() : module.name.substr(0, dot);
}

/// ctypes.cdll.NAME opens the library NAME, and only Windows has windll. Of kernel32, functions are known by their
/// names. Source: CPython 3.11 Lib/ctypes/__init__.py, LibraryLoader.__getattr__.
bool opens_by_attribute(std::string_view loader, std::string_view name, bool windows) {
  const bool opens = loader == "ctypes.cdll" || loader == "ctypes.pydll" ||
                     (windows && (loader == "ctypes.windll" || loader == "ctypes.oledll"));
  return opens && !name.starts_with('_') && name != "LoadLibrary" && name != "kernel32";
}

/// Modules of which known_attribute() knows something.
bool has_known_attributes(std::string_view module) {
  constexpr std::string_view modules[] = {"sys",    "os",      "nt",     "os.path", "posixpath",        "ntpath",
                                          "ctypes", "_ctypes", "struct", "typing",  "typing_extensions"};
  return std::find(std::begin(modules), std::end(modules), module) != std::end(modules) || module.starts_with("sys.");
}

/// Functions that are known by their names there, whatever decorators have made of them.
bool is_of_resources(std::string_view module, std::string_view name) {
  constexpr std::string_view names[] = {"as_file",     "read_text", "read_binary", "open_text",
                                        "open_binary", "path",      "contents",    "is_resource"};
  return (module == "importlib.resources" || module == "importlib_resources") &&
         std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool is_no_name_of_python(std::string_view name) {
  constexpr std::string_view names[] = {"__all__",   "__version__", "__version_info__", "__author__",   "__license__",
                                        "__title__", "__url__",     "__description__",  "__copyright__"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Facts of the simulated interpreter that its sources compute from what only a running one has.
std::optional<Value> Bindings::known_attribute(std::string_view name) {
  const bool windows = environment_.windows != nullptr;
  if (name == "sys.platform") return std::string(windows ? "win32" : "linux");
  if (name == "os.name") return std::string(windows ? "nt" : "posix");
  if (name == "os.sep" || name == "os.path.sep" || name == "posixpath.sep" || name == "ntpath.sep")
    return std::string(windows ? "\\" : "/");
  if (name == "os.pathsep") return std::string(windows ? ";" : ":");
  if (name == "os.pardir" || name == "os.path.pardir") return std::string("..");
  if (name == "os.curdir" || name == "os.path.curdir") return std::string(".");
  if (windows)
    if (auto value = python_.requests.known_attribute_on_windows(name)) return value;
  if (name == "struct.calcsize") return Named{std::string(name)};  // struct.py takes all of _struct, which is compiled
  if (name == "os.environ") return Named{"os.environ"};
  if (name == "sys.modules") return Named{"sys.modules"};
  if (name == "sys.meta_path") return python_.finders.meta_path();
  if (name == "sys.byteorder") return std::string("little");
  if (name == "sys.maxsize") return environment_.narrow ? 0x7fffffffLL : 0x7fffffffffffffffLL;
  if (name == "sys.maxunicode") return 0x10ffffLL;
  if (name == "sys.prefix" || name == "sys.exec_prefix") return python_.host.spelled(environment_.prefix);
  if (name == "sys.base_prefix" || name == "sys.base_exec_prefix")
    return python_.host.spelled(environment_.base_prefix);
  if (name == "sys.executable") return python_.host.spelled(environment_.interpreter);
  if (name == "sys.implementation.name") return std::string("cpython");
  if (name == "sys.implementation") return Named{"sys.implementation"};
  if (name == "sys.flags") return Named{"sys.flags"};
  if (name == "sys.warnoptions") return heap_.list({});
  if (name == "typing.TYPE_CHECKING" || name == "typing_extensions.TYPE_CHECKING") return false;
  if (name == "sys.path") return python_.finders.path();
  const bool text = name == "sys.version";
  if ((name == "sys.version_info" || name == "sys.hexversion" || text) && environment_.version.size() > 2) {
    const auto minor = std::atoll(environment_.version.c_str() + 2);
    const long long micro = environment_.micro;
    if (text) return environment_.version + "." + std::to_string(micro) + " (cudald)";
    if (name == "sys.hexversion") return (3LL << 24) + (minor << 16) + (micro << 8) + 0xF0;
    return heap_.list({3LL, minor, micro, std::string("final"), 0LL});
  }
  if (name == "sys.version_info.major") return 3LL;
  return std::nullopt;
}

/// An attribute of a compiled module that tells of a setting of the build, which a source tells as well.
std::optional<Value> Bindings::setting_of_build(std::string_view attribute) {
  const auto setting = rules_.settings.find(attribute);
  if (setting == rules_.settings.end()) return std::nullopt;
  const auto dot = setting->second.rfind('.');
  const auto* module = python_.sys_modules.find_loaded(setting->second.substr(0, dot));
  if (module == nullptr) return std::nullopt;
  const auto at = module->names.find(setting->second.substr(dot + 1));
  if (at == module->names.end() || at->second.unknown()) return std::nullopt;
  return at->second.get<None>() == nullptr;
}

Value Bindings::look_up(Frame& frame, std::string_view name) {
  if (name == "TYPE_CHECKING") return false;
  const NameKey key(name);
  if (frame.class_names != nullptr)
    if (const auto at = frame.class_names->find(key); at != frame.class_names->end()) return at->second;
  if (!frame.is_global(name))
    for (auto* scope = frame.scope.get(); scope != nullptr; scope = scope->outer.get())
      if (const auto at = scope->names.find(key); at != scope->names.end()) return at->second;
  auto& module = *frame.module;
  python_.doubt.touch(module.doubtful || module.bound_unseen.contains(name));
  if (const auto at = module.names.find(key); at != module.names.end()) return at->second;
  if (auto value = python_.import_statements.resolve_lazily(frame, module, name)) return *value;
  if (name == "__name__") return module.name;
  if (name == "__file__") return python_.host.spelled(module.path);
  if (name == "__package__") return package_of(module);
  if (name == "__debug__") return python_.host.optimisation() == 0;
  if (name == "__doc__" && frame.class_names == nullptr && python_.host.optimisation() > 1) return None{};
  if (name == "__spec__") return Thing(ThingKind::module_spec, module.name);
  if (name == "__path__" && module.package) return python_.finders.path_of_package(module);
  if (const auto known = builtins_.find(key); known != builtins_.end()) return known->second;
  const bool lacks = python_.import_statements.lacks_builtin(name);
  if (is_builtin_name(name) && !lacks)
    return builtins_.emplace(key, Named{"builtins." + std::string(name)}).first->second;
  const bool elsewhere = lacks || is_built_in_elsewhere(name);
  if (elsewhere && !frame.maybe && python_.handlers.caught_for_all("NameError"))
    throw PythonError{"NameError", "name '" + std::string(name) + "' is not defined"};
  if (!elsewhere || lacks) python_.doubt.raise_if_unbound(frame, name);
  return Unknown{};
}

/// Where a name is bound.
Names& Bindings::names_for(Frame& frame, const NameKey& name) {
  if (frame.class_names != nullptr) return *frame.class_names;
  if (frame.scope == nullptr || frame.is_global(name.text())) return frame.module->names;
  if (frame.is_outer(name.text()))
    for (auto* scope = frame.scope->outer.get(); scope != nullptr; scope = scope->outer.get())
      if (scope->names.find(name) != scope->names.end()) return scope->names;
  return frame.scope->names;
}

void Bindings::assign(Frame& frame, std::string_view name, Value value) {
  const NameKey key(name);
  auto* names = &names_for(frame, key);
  const bool is_own = frame.in_function && frame.scope != nullptr && names == &frame.scope->names;
  const bool maybe = is_own ? frame.own_maybe : frame.maybe;
  value.doubtful = value.doubtful || maybe || frame.doubtful;
  const auto at = names->find(key);
  const auto beside = Heap::size_of(value) - sizeof(value);  // what it takes elsewhere
  const bool is_new = at == names->end();
  if (!is_new && maybe && equal(heap_, at->second, value) != true) {
    at->second = Unknown{};
    return;
  }
  const auto room = beside + (is_new ? Heap::size_of_entry(name) : 0);
  heap_.keep(room);
  if (frame.scope != nullptr && names == &frame.scope->names) frame.scope->kept += room;
  if (is_new)
    names->emplace(key, std::move(value));
  else
    at->second = std::move(value);
}

void Bindings::assign_target(Frame& frame, const Node& target, const Value& value) {
  const Budget::Descent deeper(python_.calls.nesting());
  if (!deeper) return python_.tracker.note_depth(frame);
  heap_.work(1);
  switch (target.kind()) {
    case NodeKind::name: return assign(frame, target.text(), value);
    case NodeKind::attribute: return assign_attribute(frame, target, value);
    case NodeKind::subscript: return assign_item(frame, target, value);
    case NodeKind::starred: return assign_target(frame, target[0], value);
    case NodeKind::tuple:
    case NodeKind::list: return assign_each(frame, target, value);
    default: return;
  }
}

/// `a, *b, c = value`
void Bindings::assign_each(Frame& frame, const Node& targets, const Value& value) {
  auto items = value.unknown() ? std::nullopt : python_.calls.items_of(frame, value);
  std::size_t star = targets.size();
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i].is(NodeKind::starred)) star = std::min(star, i);
  const bool has_star = star < targets.size();
  const bool fits =
      items && !items->in_doubt() && (has_star ? items->size() + 1 >= targets.size() : items->size() == targets.size());
  if (!fits) {
    if (!items || items->in_doubt()) python_.doubt.may_raise("ValueError"), python_.doubt.may_raise("TypeError");
    for (const auto target : targets) assign_target(frame, target, Unknown{});
    return;
  }
  const auto taken = items->size() + 1 - targets.size();  // by the starred one
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i == star) {
      const auto begin = items->begin() + static_cast<std::ptrdiff_t>(i);
      assign_target(frame, targets[i], heap_.list({begin, begin + static_cast<std::ptrdiff_t>(taken)}));
    } else {
      assign_target(frame, targets[i], (*items)[i < star ? i : i + taken - 1]);
    }
  }
}

void Bindings::assign_attribute(Frame& frame, const Node& target, const Value& value) {
  set_attribute(frame, evaluate(python_, frame, target[0]), std::string(target.text()), value);
}

void Bindings::set_attribute(Frame& frame, const Value& owner, const std::string& name, const Value& value) {
  heap_.keep(Heap::size_of(value) + sizeof(name) + name.size());
  auto given = frame.maybe ? Value(Unknown{}) : value;
  given.doubtful = given.doubtful || frame.doubtful;
  if (owner.unknown() || owner.is_named()) python_.escapes.escape(value);  // whoever has it may change it
  if (owner.unknown()) python_.doubt.may_raise("AttributeError");
  if (const auto* object = owner.get<ObjectRef>()) {
    // A property may do anything with it.
    const auto held = (*object)->is_class ? std::nullopt : member(**object, name);
    const auto* function = held ? held->get<std::shared_ptr<const Function>>() : nullptr;
    const bool is_property =
        function != nullptr && ((*function)->binding == Function::Binding::property || (*function)->is_wrapped);
    if (is_property || member(**object, "__setattr__")) python_.escapes.escape(owner);
    (*object)->names.insert_or_assign(name, given);
  }
  if (const auto* function = owner.get<std::shared_ptr<const Function>>()) {
    auto& names = (*function)->names;
    if (names == nullptr) names = heap_.make<Names>();
    names->insert_or_assign(name, given);
  }
  // `lib.callback = f` gives a library a name that it has no function of.
  if (owner.thing(ThingKind::library) != nullptr) python_.requests.note_name_of_library(name);
  const auto* module = owner.get<ModuleName>();
  if (module != nullptr && module->name == "sys" && name == "path" && given.get<List>() != nullptr)
    *python_.finders.path().items = heap_.copy(*given.get<List>());
  if (module != nullptr)
    if (auto* loaded = python_.sys_modules.find_loaded(module->name)) loaded->names.insert_or_assign(name, given);
}

bool Bindings::surely_lacks(const Value& owner, std::string_view name) {
  const auto* object = owner.get<ObjectRef>();
  return object != nullptr && all_members_known(**object) && !member(**object, name) &&
         !member(**object, "__getattr__") && !member(**object, "__getattribute__");
}

Value Bindings::global(const std::string& module, const std::string& name) {
  const auto* loaded = python_.sys_modules.find_loaded(module);
  if (loaded == nullptr) return Unknown{};
  if (const auto at = loaded->names.find(name); at != loaded->names.end()) return at->second;
  if (name == "__name__") return module;
  if (name == "__file__") return python_.host.spelled(loaded->path);
  return Unknown{};
}

/// Names are bound in a module that are not known. One that it has by now may be among them if it has held a place
/// only, with None, as pkg_resources has resource_filename; of others code of this kind adds more.
void Bindings::lose_names(std::string_view module) {
  auto* loaded = python_.sys_modules.find_loaded(module);
  if (loaded == nullptr) return;
  loaded->names_lost = true;
  heap_.work(loaded->names.size());
  for (auto& [name, value] : loaded->names) value.doubtful |= value.get<None>() != nullptr;
}

/// What a text begins with whose end is not known: `f"{package}.{name}"`, `package + "." + name`.
std::string Bindings::known_beginning(Frame& frame, const Node& text) {
  const bool is_sum = text.is(NodeKind::operation) && text.size() > 1 && text[1].word() == Word::plus;
  if (!text.is(NodeKind::text) && !is_sum) return {};
  std::string begin;
  for (const auto part : text) {
    if (part.is(NodeKind::operator_)) continue;
    const auto held = part.is(NodeKind::field) ? part[0] : part;
    if (held.is(NodeKind::call)) break;  // it was called once
    const auto value = part.is(NodeKind::fragment) ? Value(std::string(part.text())) : evaluate(python_, frame, held);
    const auto* words = value.get<std::string>();
    if (words == nullptr || python_.escapes.is_doubtful(value)) break;
    begin += *words;
  }
  return begin;
}

void Bindings::assign_item(Frame& frame, const Node& target, const Value& value) {
  const auto owner = evaluate(python_, frame, target[0]);
  const auto key = evaluate(python_, frame, target[1]);
  const auto* named = owner.get<Named>();
  const bool puts_module = named != nullptr && named->name == "sys.modules" && value.get<ModuleName>() != nullptr;
  const auto* module = owner.thing(ThingKind::globals);
  const bool binds_name = module != nullptr && key.get<std::string>() != nullptr;
  if (!puts_module && !binds_name && (owner.unknown() || owner.is_named() || owner.get<ObjectRef>() != nullptr))
    python_.escapes.escape(value);
  if (owner.get<ObjectRef>() != nullptr) python_.escapes.escape(owner);  // what __setitem__ does is not followed
  if (owner.unknown()) python_.doubt.may_raise("TypeError");
  if (key.unknown()) python_.escapes.escape(value);
  const bool doubtful = frame.doubtful || python_.escapes.is_doubtful(key) || key.unknown();
  if (const auto* dict = owner.get<Dict>()) dict->items->doubtful |= doubtful;
  if (const auto* list = owner.get<List>()) list->items->doubtful |= doubtful;
  if (const auto* dict = owner.get<Dict>()) dict->items->put(heap_, key, value, frame.maybe);
  if (const auto* list = owner.get<List>()) {
    const auto* index = key.get<long long>();
    const auto at = index == nullptr ? std::nullopt : place_in(list->items->size(), *index);
    heap_.keep(value);
    if (at) (*list->items)[*at] = frame.maybe ? Value(Unknown{}) : value;
  }
  const auto* name = key.get<std::string>();
  if (named != nullptr && named->name == "sys.modules" && frame.source != nullptr) {
    python_.sys_modules.note_followed_put(frame.source->path(), target.line());
    if (name == nullptr) {
      auto beginning = known_beginning(frame, target[1]);
      auto packages = beginning.empty() ? python_.sys_modules.packages_that_run(frame) : std::set<std::string>();
      python_.sys_modules.put_unsurely({std::move(beginning), false, std::move(packages)});
    } else if (frame.maybe || python_.escapes.is_doubtful(key)) {
      python_.sys_modules.put_unsurely({*name, true});
    }
  }
  if (module != nullptr && (name == nullptr || key.doubtful)) lose_names(*module);
  if (module != nullptr && name != nullptr) set_attribute(frame, ModuleName{*module}, *name, value);
  if (named == nullptr || name == nullptr) return;
  if (named->name == "os.environ") python_.host.set_variable(frame, *name, value);
  if (named->name == "sys.modules") python_.sys_modules.put_module(*name, value);
}

/// A name of the object, of its class or of a base, in the order in which they are named; each is asked once.
std::optional<Value> Bindings::member(const Object& object, std::string_view name) const {
  const NameKey key(name);
  std::optional<Value> found;
  visit_classes(object, [&](const Object& one) {
    heap_.work(4 + one.bases.size());
    if (const auto at = one.names.find(key); at != one.names.end()) found = at->second;
    return !found;
  });
  return found;
}

/// What code that is not followed leaves alone: the standard library, a submodule under its own name, and what the
/// tables know by its name.
bool Bindings::is_left_alone(const Module& module, std::string_view name) {
  if (name == "__version__" || finder_.in_standard_library(module.path)) return true;
  const auto qualified = module.name + "." + std::string(name);
  const auto at = module.names.find(name);
  const auto* held = at == module.names.end() ? nullptr : at->second.get<ModuleName>();
  return (held != nullptr && held->name == qualified) || python_.calls.knows(qualified);
}

/// What the __getattr__ of a module raises in an exception of its own package says that it lacks the name.
PythonError Bindings::refusal_of_name(const Frame& frame, const Module& module, std::string_view name,
                                      PythonError error) {
  const auto package = std::string_view(module.name).substr(0, module.name.find('.'));
  const bool is_own = is_below(error.type, package);
  const bool is_explained = error.lacked || !error.causes.empty() || !error.module.empty() || !error.variable.empty();
  if (is_own && !is_explained) error.lacked = lacked(frame, module, name);
  return error;
}

std::optional<Value> Bindings::module_attribute(Frame& frame, Module& module, std::string_view name) {
  if (module.opaque)
    if (auto setting = setting_of_build(module.name + "." + std::string(name))) return setting;
  if (has_known_attributes(module.name))
    if (auto known = known_attribute(module.name + "." + std::string(name))) return known;
  python_.doubt.touch(((module.doubtful || module.bound_unseen.contains(name)) && !is_left_alone(module, name)));
  if (const auto at = module.names.find(name); at != module.names.end())
    return is_of_resources(module.name, name) ? Value(Named{module.name + "." + std::string(name)}) : at->second;
  if (auto value = python_.import_statements.resolve_lazily(frame, module, name)) return value;
  if (python_.import_statements.lacks_by_release(module, name)) return std::nullopt;
  const auto submodule = module.name + "." + std::string(name);
  if (python_.sys_modules.find_loaded(submodule) != nullptr) return ModuleName{submodule};
  if (python_.import_statements.is_lazy_submodule(submodule) && follows(frame))
    return ModuleName{python_.importer.import_module(submodule, &frame).name};
  if (name == "__file__") return python_.host.spelled(module.path);
  if (name == "__name__") return module.name;
  if (name == "__path__" && module.package) return python_.finders.path_of_package(module);
  if (module.opaque) return Named{submodule};
  if (!name.starts_with("__") || is_no_name_of_python(name))
    if (const auto at = module.names.find("__getattr__"); at != module.names.end()) {
      if (const auto* held = at->second.get<std::shared_ptr<const Function>>()) {
        const auto function = *held;  // it may be bound anew while it runs
        const Handler handler(python_, {"AttributeError"}, Reach::this_module);
        try {
          return python_.calls.call_function(frame, function, {{"", std::string(name)}}, nullptr);
        } catch (const PythonError& error) {
          if (!catches({"AttributeError"}, error)) throw refusal_of_name(frame, module, name, error);
          asked_error_ = error;
          asked_error_.says_gone = error.says_gone && error.message.find(name) != std::string::npos;
          if (asked_error_.says_gone) return std::nullopt;
          if (error.doubtful) return Unknown{};
          refused_name_ = submodule;
          if (module.names_followed_but_for_compiled() &&
              !python_.compiled_files.may_be_taken_from_compiled_code(module, name))
            return std::nullopt;
        }
      }
      return Unknown{};
    }
  if (module.names_known() && (!name.starts_with("__") || is_no_name_of_python(name))) return std::nullopt;
  // os takes its names from posix, and multiprocessing from an object.
  const bool is_known = python_.calls.knows(submodule) || rules_.calls.contains(submodule);
  return is_known ? Value(Named{submodule}) : Value();
}

/// A function that is asked of an object or class. What a class keeps to itself is its instances' too.
Value Bindings::bound(Frame& frame, const std::shared_ptr<const Function>& function, const ObjectRef& object,
                      bool own) {
  using Binding = Function::Binding;
  switch (function->binding) {
    case Binding::none: return function;
    case Binding::type:
      if (!object->is_class && !object->bases.empty() && object->bases[0].get<ObjectRef>() != nullptr)
        return Method{function, *object->bases[0].get<ObjectRef>()};
      return Method{function, object};
    case Binding::property:
      if (object->is_class) return Unknown{};
      return python_.calls.call_function(frame, function, {}, std::make_unique<Value>(object).get());
    case Binding::instance: break;
  }
  if (object->is_class || own) return function;
  return Method{function, object};
}

/// Whether the module's own __getattr__ has just said that it had the name once.
bool Bindings::says_gone(const Module& module, const std::optional<Value>& value) const {
  return !value && asked_error_.says_gone && module.names.contains("__getattr__");
}

/// Whether a name that was not found is missing whatever code that is not followed has done to the module.
bool Bindings::is_lack_beyond_doubt(const Module& module, std::string_view name, const std::optional<Value>& value) {
  if (python_.import_statements.is_found(module, value)) return false;
  const bool may_be_bound = module.doubtful || module.bound_unseen.contains(name);
  return !may_be_bound || says_gone(module, value) || python_.import_statements.lacks_by_table(module, name);
}

bool Bindings::surely_lacks(const Frame& frame, const Module& module, std::string_view name,
                            const std::optional<Value>& value) {
  const auto& assumed = environment_.assumed_names;
  if (!assumed.empty() && assumed.contains(module.name + "." + std::string(name))) return false;
  return (is_lack_beyond_doubt(module, name, value) &&
          python_.import_statements.lacks_name(frame, module, name, value)) ||
         python_.absent_names.is_nowhere(frame, module, name, value);
}

/// Whether asking a module for a name that was not found is an error that is sure.
bool Bindings::lacks_attribute(const Frame& frame, const Module& module, std::string_view name,
                               const std::optional<Value>& value) {
  if (frame.maybe || frame.doubtful || !module.complete || !surely_lacks(frame, module, name, value)) return false;
  // A part of a package that others have imported is a name of it.
  return !python_.unseen_imports.is_part(module, name) || !python_.unseen_imports.may_have_imported(module, name);
}

std::shared_ptr<const LackedName> Bindings::lacked(const Frame& frame, const Module& module, std::string_view name) {
  return std::make_shared<LackedName>(LackedName{std::string(name), module.name, module.path,
                                                 frame.source == nullptr ? "" : frame.source->path(), frame.line});
}

PythonError Bindings::attribute_error(const Frame& frame, const Module& module, std::string_view name) {
  PythonError error{"AttributeError", "module '" + module.name + "' has no attribute '" + std::string(name) + "'"};
  const bool is_refused = refused_name_ == module.name + "." + std::string(name);
  if ((module.names.contains("__getattr__") || is_refused) && !asked_error_.message.empty()) error = asked_error_;
  error.lacked = lacked(frame, module, name);
  error.causes = python_.tracker.loads_that_lost(module, name);
  return error;
}

namespace {

Value attribute_of_function(const Function& function, std::string_view name) {
  if (function.names == nullptr) return Unknown{};
  const auto at = function.names->find(name);
  return at == function.names->end() ? Value() : at->second;
}

/// Of sys.version_info, and of sys.getwindowsversion() as well.
Value attribute_of_version(const List& list, std::string_view name) {
  if (name == "major") return (*list.items)[0];
  if (name == "minor") return (*list.items)[1];
  if (name == "micro" || name == "build") return (*list.items)[2];
  return Unknown{};
}

}  // namespace

Value Bindings::attribute_of_module(Frame& frame, const std::string& module, std::string_view name) {
  auto* loaded = python_.sys_modules.find_loaded(module);
  if (loaded == nullptr) return Named{module + "." + std::string(name)};
  if (name == "__dict__") return Thing(ThingKind::globals, module);
  auto value = module_attribute(frame, *loaded, name);
  if (loaded->names_in_table && value && value->is_named() && python_.compiled_files.lacks_in_file(*loaded, name)) {
    python_.doubt.set_touched(false);  // whatever else the code does, its names come from that file
    python_.doubt.raise_if_certain(frame, attribute_error(frame, *loaded, name));
  }
  if (python_.import_statements.is_found(*loaded, value)) return *value;
  if (lacks_attribute(frame, *loaded, name, value)) throw attribute_error(frame, *loaded, name);
  return value ? *value : Value(Unknown{});
}

/// Whether a class of its own has lost its docstring: Python leaves them out (-OO), and no code has given it one.
bool Bindings::has_no_docstring(const Object& type) {
  return type.is_class && !type.decorated && !type.names.contains("__doc__") && type.metaclass_known &&
         type.metaclass == nullptr && python_.host.optimisation() > 1;
}

/// `cdll.NAME` and `cdll[NAME]`: since Python 3.12 what fails is an attribute that is not there.
/// Source: CPython 3.11 and 3.12 Lib/ctypes/__init__.py, LibraryLoader.__getattr__.
Value Bindings::open_by_attribute(Frame& frame, const std::string& name) {
  constexpr int first_with_attribute_error = 12;
  try {
    return python_.requests.load_library(frame, name, false);
  } catch (PythonError& error) {
    if (minor_of(environment_.version) < first_with_attribute_error) throw;
    error.kind = "AttributeError";
    error.before = "OSError: " + error.message;
    error.message = name;
    throw;
  }
}

/// Whether the code of the module that defines a class says nothing of a name, by which it may give it to the class or
/// to its instances.
bool Bindings::is_silent_about(const Object& type, std::string_view name, bool of_instance) {
  auto module = std::string_view(type.name);
  const Module* loaded = nullptr;
  while (loaded == nullptr && module.find('.') != std::string_view::npos)
    loaded = python_.sys_modules.find_loaded(module = module.substr(0, module.rfind('.')));
  if (loaded == nullptr || loaded->source == nullptr) return false;
  heap_.look_at(2 * loaded->source->size());
  if (loaded->source->mentions(name)) return false;
  return !of_instance || (!loaded->source->mentions("setattr") && !loaded->source->mentions("__dict__"));
}

/// An attribute that neither a class of its own nor its bases have, and that no code of theirs can give it: a method
/// that a release has removed.
void Bindings::refuse_attribute(const Frame& frame, const ObjectRef& object, std::string_view name) {
  const auto& type = object->is_class || object->bases.empty() ? object : *object->bases[0].get<ObjectRef>();
  const bool is_plain = type->metaclass == nullptr || python_.escapes.is_of_standard_library(*type->metaclass);
  const bool is_made_otherwise = !is_plain || !type->metaclass_known || type->decorated;
  if (name.starts_with("__") || is_made_otherwise || !surely_lacks(object, name) || python_.escapes.is_doubtful(object))
    return;
  // A class has what its own class has as well: register of ABCMeta, and mro of type.
  bool silent = !object->is_class ||
                (name != "mro" && (type->metaclass == nullptr || is_silent_about(*type->metaclass, name, false)));
  visit_classes(*type, [&](const Object& one) {
    silent = silent && !one.decorated && is_silent_about(one, name, !object->is_class);
    return silent;
  });
  if (!silent) return;
  const auto called = std::string(type->name.substr(type->name.rfind('.') + 1));
  const auto owner = object->is_class ? "type object '" + called + "'" : "'" + called + "' object";
  python_.doubt.raise_if_certain(frame, {"AttributeError", owner + " has no attribute '" + std::string(name) + "'"});
}

/// What a thing gives that is not called at once: see call_thing().
Value Bindings::attribute_of_thing(Frame& frame, const Thing& owner, std::string_view name) {
  const auto& text = *owner.text;
  switch (owner.kind) {
    case ThingKind::module_spec: {
      if (name == "name") return text;
      const auto* loaded = python_.sys_modules.find_loaded(text);
      return name == "parent" && loaded != nullptr ? Value(package_of(*loaded)) : Value();
    }
    case ThingKind::frame: return attribute_of_frame(text, name);
    case ThingKind::library: return python_.requests.function_of_library(frame, text, name);
    case ThingKind::version: return version_attribute(heap_, text, name);
    case ThingKind::pattern:
    case ThingKind::match: return pattern_attribute(heap_, owner, name);
    case ThingKind::globals:
    case ThingKind::text_file:
    case ThingKind::context:
    case ThingKind::float_number: break;
  }
  return Unknown{};
}

/// Of what is known by its name only.
Value Bindings::attribute_of_named(Frame& frame, const std::string& owner, std::string_view name) {
  const bool of_exception = owner == "exception.__class__" || owner == "builtins.type of exception";
  if (owner == "builtins.object of super")
    return Named{"builtins.object." + std::string(name) + (name == "__init__" || name == "__new__" ? " of super" : "")};
  if (const auto* handled = python_.handlers.handled(); of_exception && name == "__name__" && handled != nullptr)
    return handled->error.kind;
  constexpr std::string_view builtins = "builtins.";
  if (name == "__name__" && owner.starts_with(builtins) && is_builtin_name(owner.substr(builtins.size())))
    return owner.substr(builtins.size());
  const auto qualified = owner + "." + std::string(name);
  if (auto known = known_attribute(qualified)) return *known;
  if (opens_by_attribute(owner, name, environment_.windows != nullptr) && follows(frame))
    return open_by_attribute(frame, std::string(name));
  return Named{qualified};
}

/// A method that a type of Python 2 had: of its subclasses as well, but for those of packages.
void Bindings::refuse_name_of_python_2(const Frame& frame, const std::string& type, std::string_view name) {
  const auto module = "builtins." + type;
  if (environment_.interpreter.empty() ||
      !time_of_name(rules_, module, name, environment_.version).lacks(environment_.version))
    return;
  PythonError error{"AttributeError", "'" + type + "' object has no attribute '" + std::string(name) + "'"};
  LackedName lacked{.name = std::string(name), .module = module};
  if (frame.source != nullptr) lacked.source = frame.source->path(), lacked.line = frame.line;
  error.lacked = std::make_shared<const LackedName>(std::move(lacked));
  python_.doubt.raise_if_certain(frame, std::move(error));
}

/// Whether the class of a class has a name that comes before what the class itself has under it, a property or another
/// data descriptor; or what may be one. Source: CPython 3.11 Objects/typeobject.c, type_getattro.
bool Bindings::is_data_of(const Object& metaclass, std::string_view name) const {
  const auto value = member(metaclass, name);
  if (!value) return false;
  if (const auto* function = value->get<std::shared_ptr<const Function>>())
    return (*function)->binding == Function::Binding::property || (*function)->is_wrapped;
  return !name.starts_with("__") && (value->unknown() || value->get<ObjectRef>() != nullptr);
}

Value Bindings::attribute(Frame& frame, const Value& owner, std::string_view name) {
  if (owner.get<None>() != nullptr && !name.starts_with("__"))
    python_.doubt.refuse_none(frame, owner,
                              {"AttributeError", "'NoneType' object has no attribute '" + std::string(name) + "'"});
  if (owner.get<Dict>() != nullptr && !owner.doubtful) refuse_name_of_python_2(frame, "dict", name);
  if (const auto* module = owner.get<ModuleName>()) return attribute_of_module(frame, module->name, name);
  if (const auto* object = owner.get<ObjectRef>()) {
    if (name == "__name__" && (*object)->is_class && !(*object)->names.contains(name))
      return std::string((*object)->name.substr((*object)->name.rfind('.') + 1));
    if ((*object)->name == of_distribution) python_.importer.import_for_distribution(frame, name);
    if (auto copied = python_.import_statements.copied_names(**object, name)) return *copied;
    if (name == "__doc__" && has_no_docstring(**object)) return None{};
    if (name == "__dict__")
      (*object)->names.emplace(name, Unknown{}), python_.escapes.escape(owner);  // what is done with it is not followed
    if ((*object)->name == super_object && !(*object)->is_class)
      if (auto value = attribute_of_super(frame, **object, name)) return *value;
    if ((*object)->is_class && (*object)->metaclass != nullptr && is_data_of(*(*object)->metaclass, name)) {
      python_.escapes.escape(owner);
      return Unknown{};
    }
    auto value = member(**object, name);
    if (!value && name == "__new__" && (*object)->is_class && all_members_known(**object))
      return Named{"builtins.object.__new__"};
    if (!value && !name.starts_with("__") && !(*object)->is_class)
      if (auto made = made_by_object(frame, owner, "__getattr__", std::string(name))) return *made;
    if (!value) {
      refuse_attribute(frame, *object, name);
      python_.escapes.escape(owner);  // what it gives may be a method that is not followed
      return Unknown{};
    }
    const auto* held = value->get<ObjectRef>();
    if (held != nullptr && !(*held)->is_class && !(*object)->names.contains(name) && member(**held, "__get__")) {
      python_.escapes.escape(owner);
      return Unknown{};
    }
    if (const auto* function = value->get<std::shared_ptr<const Function>>())
      return bound(frame, *function, *object, (*object)->names.find(name) != (*object)->names.end());
    return *value;
  }
  if (const auto* function = owner.get<std::shared_ptr<const Function>>()) {
    const bool bound_elsewhere = (*function)->names != nullptr && (*function)->names->contains(name);
    if (name == "__doc__" && !bound_elsewhere && !(*function)->is_wrapped && python_.host.optimisation() > 1)
      return None{};
    return attribute_of_function(**function, name);
  }
  if (const auto* text = owner.get<std::string>()) {
    // pathlib's paths are kept as plain texts, whose methods have other names.
    auto value = python_.host.path_attribute(*text, name);
    return value ? python_.calls.no_str(std::move(*value)) : Value();
  }
  if (const auto* named = owner.get<Named>()) return attribute_of_named(frame, named->name, name);
  if (const auto* thing = owner.get<Thing>()) return attribute_of_thing(frame, *thing, name);
  if (const auto* list = owner.get<List>(); list != nullptr && list->items->size() == 5)
    return attribute_of_version(*list, name);
  return Unknown{};
}

}  // namespace cudald::python

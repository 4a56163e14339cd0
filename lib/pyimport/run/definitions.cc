#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t most_bases = 100;

}  // namespace

/// Since Python 3.14 they are evaluated when somebody asks for them.
/// Source: CPython 3.14 Doc/whatsnew/3.14.rst, PEP 649 and 749.
bool Definitions::evaluates_annotations(const Frame& frame) const {
  constexpr int first_lazy = 14;
  return !frame.module->lazy_annotations && !frame.in_function && minor_of(environment_.version) < first_lazy;
}

/// What `@NAME.setter`, `@NAME.deleter` or `@NAME.getter` makes of a function, where NAME is a property that is known:
/// that property, which is read as before, or with a new function that is called when it is read.
/// Source: CPython 3.11 Objects/descrobject.c, property_copy.
std::optional<Value> Definitions::extended_property(Frame& frame, const Node& decorator, const Value& value) {
  if (!decorator.is(NodeKind::attribute) || !decorator[0].is(NodeKind::name)) return std::nullopt;
  const auto which = decorator.text();
  if (which != "setter" && which != "deleter" && which != "getter") return std::nullopt;
  const auto held = evaluate(python_, frame, decorator[0]);
  const auto* property = held.get<std::shared_ptr<const Function>>();
  const auto* given = value.get<std::shared_ptr<const Function>>();
  const bool known = property != nullptr && (*property)->binding == Function::Binding::property;
  if (!known || given == nullptr) return std::nullopt;
  if (which != "getter") return held;
  auto copy = python_.heap.make<Function>(**given);
  copy->binding = Function::Binding::property;
  return std::shared_ptr<const Function>(std::move(copy));
}

/// Decorators with the function or class they stand before. A decorator whose result is not known leaves it as it is.
void Definitions::run(Frame& frame, const Node& statement) {
  std::vector<Value> decorators;
  for (const auto decorator : statement[1]) {
    frame.line = decorator.line();
    decorators.push_back(evaluate(python_, frame, decorator));
  }
  if (!statement[0].there()) return;
  const bool hides = statement.level() > 0;  // type parameters
  const auto hidden = python_.doubt.with_hidden_names(hides);
  const std::string name(statement[0].text());
  frame.line = statement.line();
  auto value = statement.is(NodeKind::class_) ? define_class(frame, statement) : define_function(frame, statement);
  if (const auto* type = value.get<ObjectRef>()) check_fields(frame, statement, decorators, **type);
  for (auto decorator = decorators.rbegin(); decorator != decorators.rend(); ++decorator) {
    const auto written = statement[1][static_cast<std::size_t>(decorators.rend() - decorator) - 1];
    if (auto property = extended_property(frame, written, value)) {
      value = std::move(*property);
      continue;
    }
    Value decorated;
    const auto apply = [&] {
      python_.calls.announce_decorator();
      decorated = python_.calls.call(frame, *decorator, {{"", value}});
    };
    // One that a decorator has taken may be no decorator any more that calls the function: `@decorator def f(func,
    // ...)` of the package decorator, whose f runs when what it decorates is called.
    const auto* function = decorator->get<std::shared_ptr<const Function>>();
    const bool unsure = function != nullptr && (*function)->is_wrapped;
    if (unsure)
      run_unsure(python_, frame, apply);
    else
      apply();
    if (!unsure && !decorated.unknown() && decorated.get<None>() == nullptr)
      value = std::move(decorated);
    else if (const auto* own = value.get<std::shared_ptr<const Function>>())
      (*own)->is_wrapped = true;
    else if (const auto* type = value.get<ObjectRef>())
      (*type)->decorated = true;
  }
  // What an unknown decorator has made of a function may be anything, also a text that is compared.
  if (const auto* own = value.get<std::shared_ptr<const Function>>())
    value.doubtful = value.doubtful || (*own)->is_wrapped;
  python_.bindings.assign(frame, name, std::move(value));
}

/// Whether `@dataclass`, or `@dataclass(...)`, stands before a class; and whether it leaves instances without a hash.
std::optional<bool> Definitions::makes_dataclass(Frame& frame, const Node& statement, const Value& decorator) {
  const auto callee = statement.is(NodeKind::call) ? evaluate(python_, frame, statement[0]) : decorator;
  const auto* function = callee.get<std::shared_ptr<const Function>>();
  const auto* named = callee.get<Named>();
  const auto name = function != nullptr ? (*function)->full_name() : named != nullptr ? named->name : "";
  if (name != "dataclasses.dataclass" || callee.doubtful) return std::nullopt;
  bool hashed = false;
  for (std::size_t i = 1; statement.is(NodeKind::call) && i < statement.size(); ++i) {
    const auto word = statement[i].is(NodeKind::keyword) ? statement[i].text() : "**";
    hashed = hashed || (word != "repr" && word != "init" && word != "order" && word != "kw_only" && word != "slots");
  }
  return !hashed;
}

namespace {

/// What a field's default is of, if it has no hash: "list", or the class of its own; empty if it has one, or may have.
std::string unhashable_type(const Node& written, const Value& value, bool of_instances) {
  if (written.is(NodeKind::list)) return "list";
  if (written.is(NodeKind::set)) return "set";
  if (written.is(NodeKind::dict)) return "dict";
  const auto* object = value.get<ObjectRef>();
  if (!of_instances || object == nullptr || (*object)->is_class || (*object)->bases.size() != 1) return "";
  const auto* type = (*object)->bases.front().get<ObjectRef>();
  return type != nullptr && (*type)->has_no_hash ? (*type)->name : "";
}

/// Whether an annotation is `ClassVar` or `typing.ClassVar[...]`: then the name is no field.
bool is_of_class_alone(const Node& annotation) {
  return dotted_text(annotation.is(NodeKind::subscript) ? annotation[0] : annotation).ends_with("ClassVar");
}

}  // namespace

/// A dataclass refuses defaults that are shared and can change: lists, dictionaries and sets, and since Python 3.11
/// whatever has no hash, as the instances of another dataclass.
/// Source: CPython 3.11 Lib/dataclasses.py, _get_field and _hash_action.
void Definitions::check_fields(Frame& frame, const Node& statement, const std::vector<Value>& decorators,
                               Object& type) {
  constexpr int first_with_hashes = 11;
  std::optional<bool> without_hash;
  for (std::size_t i = 0; i < decorators.size() && !without_hash; ++i)
    without_hash = makes_dataclass(frame, statement[1][i], decorators[i]);
  if (!without_hash) return;
  const bool of_instances = minor_of(environment_.version) >= first_with_hashes;
  for (const auto field : statement[3]) {
    if (!field.is(NodeKind::annotated) || !field[2].there() || !field[0].is(NodeKind::name)) continue;
    const auto held = type.names.find(field[0].text());
    if (held == type.names.end() || is_of_class_alone(field[1])) continue;
    const auto kind = unhashable_type(field[2], held->second, of_instances);
    if (kind.empty()) continue;
    frame.line = statement.line();
    python_.doubt.set_touched(
        false);  // what else is done with that class does not change what the decorator has made of it
    python_.doubt.raise_if_certain(
        frame, {"ValueError", "mutable default <class '" + kind + "'> for field " + std::string(field[0].text()) +
                                  " is not allowed: use default_factory"});
  }
  type.has_no_hash = *without_hash && !type.names.contains("__hash__");
}

namespace {

bool is_metaclass_keyword(const Node& given) { return given.is(NodeKind::keyword) && given.text() == "metaclass"; }

/// Whether a class is another one, or derived from it.
bool is_derived(Heap& heap, const Object& type, const Object& from) {
  bool found = false;
  visit_classes(type, [&](const Object& one) {
    heap.work(4 + one.bases.size());
    found = &one == &from;
    return !found;
  });
  return found;
}

/// Whether a function asks another `__new__` for what it gives.
bool asks_new(Heap& heap, const Node& node) {
  heap.work(1);
  if (node.is(NodeKind::attribute) && node.text() == "__new__") return true;
  for (const auto part : node)
    if (asks_new(heap, part)) return true;
  return false;
}

/// Whether a metaclass makes classes of which it is the class: one may have a `__new__` that makes something else, as
/// that of typing.NamedTuple does.
bool makes_its_own(Heap& heap, const Object& metaclass) {
  bool own = true;
  visit_classes(metaclass, [&](const Object& one) {
    heap.work(4 + one.bases.size());
    const auto at = one.names.find("__new__");
    if (at == one.names.end()) return own;
    const auto* function = at->second.get<std::shared_ptr<const Function>>();
    own = function != nullptr && !(*function)->node.is(NodeKind::lambda) &&
          asks_new(heap, (*function)->source->body((*function)->node));
    return own;
  });
  return own;
}

/// Whether all classes of a metaclass were followed, up to `type`.
bool is_followed_metaclass(Heap& heap, const Object& type) {
  bool followed = type.is_class, is_type = false;
  visit_classes(type, [&](const Object& one) {
    heap.work(4 + one.bases.size());
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      is_type = is_type || (named != nullptr && named->name == "builtins.type");
      followed =
          followed && (base.get<ObjectRef>() != nullptr || (named != nullptr && named->name.starts_with("builtins.")));
    }
    return followed;
  });
  return followed && is_type;
}

/// Whether the metaclass of a class has none of the methods by which classes and their instances are made otherwise.
/// Source: CPython 3.11 Doc/reference/datamodel.rst, Customizing class creation.
bool leaves_classes_alone(const Object& type) {
  constexpr std::string_view making[] = {"__new__", "__init__", "__call__",         "__prepare__",
                                         "__mro__", "mro",      "__getattribute__", "__getattr__"};
  bool alone = true;
  if (type.metaclass != nullptr)
    visit_classes(*type.metaclass, [&](const Object& one) {
      alone = std::none_of(std::begin(making), std::end(making),
                           [&](std::string_view method) { return one.names.contains(method); });
      return alone;
    });
  return alone;
}

}  // namespace

/// Whether a base is certainly the class that was found there. What is done with it elsewhere is left out of account,
/// as it does not change its class.
bool Definitions::is_sure_base(Frame& frame, const Node& written, const Value& value) {
  const auto* type = value.get<ObjectRef>();
  if (type == nullptr || !value.doubtful) return !value.doubtful;
  if (python_.escapes.is_of_standard_library(**type)) return true;
  if (written.is(NodeKind::name)) return !python_.doubt.known_name(frame, written.text()).doubtful;
  if (!written.is(NodeKind::attribute) || !written[0].is(NodeKind::name)) return false;
  const auto owner = python_.doubt.known_name(frame, written[0].text());
  const auto* module = owner.get<ModuleName>();
  const auto* loaded = module == nullptr || owner.doubtful ? nullptr : python_.sys_modules.find_loaded(module->name);
  if (loaded == nullptr) return false;
  const auto at = loaded->names.find(written.text());
  return at != loaded->names.end() && !at->second.doubtful;
}

/// The class of a class is the most derived one of those of its bases; where there is none, that is an error.
/// Source: CPython 3.11 Objects/typeobject.c, _PyType_CalculateMetaclass.
void Definitions::choose_metaclass(Frame& frame, const Node& statement, const std::vector<Value>& given, Object& type) {
  ObjectRef chosen;
  bool known = true, conflict = false, own = true;
  const auto take = [&](std::size_t i, bool stated) {
    const auto written = statement[2][i];
    const auto* named = given[i].get<Named>();
    if (named != nullptr && is_builtin_class(*named) && !given[i].doubtful) return;
    const auto* object = given[i].get<ObjectRef>();
    known = object != nullptr && (*object)->is_class && !(*object)->decorated &&
            is_sure_base(frame, stated ? written[0] : written, given[i]) &&
            (stated ? is_followed_metaclass(heap_, **object) : (*object)->metaclass_known);
    const auto other = !known ? nullptr : stated ? *object : (*object)->metaclass;
    if (other == nullptr || (chosen != nullptr && is_derived(heap_, *chosen, *other))) return;
    conflict = conflict || (chosen != nullptr && !is_derived(heap_, *other, *chosen));
    own = own && makes_its_own(heap_, *other) && (chosen == nullptr || makes_its_own(heap_, *chosen));
    chosen = other;
  };
  for (const bool stated : {true, false})
    for (std::size_t i = 0; known && i < given.size(); ++i)
      if (stated ? is_metaclass_keyword(statement[2][i]) : !statement[2][i].is(NodeKind::keyword)) take(i, stated);
  type.metaclass_known = known && !conflict && !frame.maybe && !frame.doubtful;
  type.metaclass = known && !conflict ? chosen : nullptr;
  if (!known || !conflict || !own) return;
  frame.line = statement.line();
  python_.doubt.set_touched(false);
  PythonError error{"TypeError",
                    "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of "
                    "the metaclasses of all its bases"};
  const auto top = frame.module->name.substr(0, frame.module->name.find('.'));
  for (const auto& base : given) {
    const auto* object = base.get<ObjectRef>();
    const auto name = object == nullptr ? std::string() : (*object)->name;
    const auto* module = name.empty() ? nullptr : python_.sys_modules.find_loaded(name.substr(0, name.rfind('.')));
    if (module == nullptr || finder_.in_standard_library(module->path) || name.substr(0, name.find('.')) == top)
      continue;
    error.lacked = python_.bindings.lacked(frame, *module, name.substr(name.rfind('.') + 1));
    break;
  }
  python_.doubt.raise_if_certain(frame, std::move(error));
}

/// A function, a module and None are called as metaclasses where they are bases, which is an error.
/// Source: CPython 3.6, 3.8, 3.9 and 3.13, asked.
void Definitions::refuse_bases(Frame& frame, const Node& statement, const std::vector<Value>& given) {
  constexpr int first_with_name = 9;
  const auto& version = environment_.version;
  if (!version.starts_with("3.")) return;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (statement[2][i].is(NodeKind::keyword) || !is_sure_base(frame, statement[2][i], given[i])) continue;
    std::string error;
    const auto* function = given[i].get<std::shared_ptr<const Function>>();
    const bool of_library = function != nullptr && finder_.in_standard_library((*function)->source->path());
    const bool stands_for_class =
        function != nullptr && (*function)->names != nullptr && (*function)->names->contains("__mro_entries__");
    if (given[i].get<None>() != nullptr) error = "NoneType takes no arguments";
    // Where the package binds names that are not known, a class of the same name may have taken its place.
    if (const auto* module = given[i].get<ModuleName>()) {
      const auto* package =
          python_.sys_modules.find_loaded(std::string_view(module->name).substr(0, module->name.rfind('.')));
      if (package != nullptr && package->names_known()) error = "module() takes at most 2 arguments (3 given)";
    }
    if (function != nullptr && !(*function)->is_wrapped && !of_library && !stands_for_class)
      error = "function() argument " + std::string(minor_of(version) < first_with_name ? "1" : "'code'") +
              " must be code, not str";
    if (error.empty()) continue;
    frame.line = statement.line();
    python_.doubt.set_touched(false);  // what the base hangs on has been asked
    PythonError refused{"TypeError", error};
    if (function != nullptr)
      if (const auto* module = python_.sys_modules.find_loaded((*function)->module))
        refused.lacked = python_.bindings.lacked(frame, *module, (*function)->node[0].text());
    python_.doubt.raise_if_certain(frame, std::move(refused));
  }
}

/// What `Base[...]` stands for among the bases of a class: of typing.Generic, and of a class derived from it, that
/// class. Classes that make something of their own of it, as pydantic's, have a `__class_getitem__`, or a metaclass.
/// Source: CPython 3.7 Lib/typing.py, _GenericAlias.__mro_entries__.
Value Definitions::base_of_alias(Frame& frame, const Node& written, Value made) {
  constexpr int first_without_metaclass = 7;
  const bool can_be_one = written.is(NodeKind::subscript) && made.unknown() &&
                          (written[0].is(NodeKind::name) || written[0].is(NodeKind::attribute));
  if (!can_be_one || minor_of(environment_.version) < first_without_metaclass) return made;
  const auto origin = evaluate(python_, frame, written[0]);
  const auto* object = origin.get<ObjectRef>();
  const auto* named = origin.get<Named>();
  Value base = Named{std::string(type_of_generics)};
  base.doubtful = origin.doubtful && (object == nullptr || !python_.escapes.is_of_standard_library(**object));
  if (named != nullptr && (named->name == type_of_generics || named->name == "_typing.Generic")) return base;
  if (object == nullptr || !(*object)->is_class) return made;
  if ((*object)->name == type_of_generics) return base;
  bool is_generic = false;
  visit_classes(**object, [&](const Object& one) {
    for (const auto& of_it : one.bases) {
      const auto* held = of_it.get<Named>();
      is_generic = is_generic || (held != nullptr && held->name == type_of_generics);
    }
    return true;
  });
  const bool is_plain = (*object)->metaclass_known && (*object)->metaclass == nullptr && !(*object)->decorated;
  return is_generic && is_plain && !python_.bindings.member(**object, "__class_getitem__") ? origin : made;
}

Value Definitions::define_class(Frame& frame, const Node& statement) {
  const auto name = std::string(statement[0].text());
  auto object = heap_.make<Object>();
  object->name = frame.module->name + "." + std::string(frame.qualifier) + name;
  std::vector<Value> given;
  bool other_metaclass = false;
  for (const auto base : statement[2]) {
    const bool keyword = base.is(NodeKind::keyword);
    given.push_back(keyword && !is_metaclass_keyword(base) ? Value()
                                                           : evaluate(python_, frame, keyword ? base[0] : base));
    if (!keyword) {
      given.back() = base_of_alias(frame, base, std::move(given.back()));
      object->bases.push_back(given.back());
    }
    other_metaclass |= is_metaclass_keyword(base) && !dotted_text(base[0]).ends_with("ABCMeta");
  }
  refuse_bases(frame, statement, given);
  choose_metaclass(frame, statement, given, *object);
  // Another metaclass may make something else of all this.
  object->doubtful = other_metaclass && !(object->metaclass_known && leaves_classes_alone(*object));
  // It is inherited; what those of the standard library do is no surprise.
  for (const auto& base : object->bases)
    if (const auto* type = base.get<ObjectRef>(); type != nullptr && (*type)->doubtful) {
      const auto* module = python_.sys_modules.find_loaded((*type)->name.substr(0, (*type)->name.rfind('.')));
      if (module == nullptr || !finder_.in_standard_library(module->path)) object->doubtful = true;
    }
  // Of Cython's classes a .pxd file may declare more.
  if (frame.source->is_cython()) object->bases.emplace_back(Unknown{});
  Frame inner;
  inner.module = frame.module;
  inner.source = frame.source;
  inner.scope = frame.scope;
  inner.class_names = &object->names;
  inner.qualifier = keep_name(std::string(frame.qualifier) + name + ".");
  inner.in_function = frame.in_function;
  inner.maybe = frame.maybe;
  inner.doubtful = frame.doubtful;
  python_.statements.run(inner, statement[3]);
  python_.escapes.use_definition(*object);
  tell_bases(frame, object, statement[2]);
  return object;
}

/// `__init_subclass__` of the nearest base, in Python or in a rule, gets the class and the keywords of its definition.
void Definitions::tell_bases(Frame& frame, const ObjectRef& type, const Node& given) {
  if (type->bases.empty()) return;
  const std::string name = "__init_subclass__";
  std::optional<Value> found;
  const Rule* rule = nullptr;
  std::size_t count = 0;
  visit_classes(*type, [&](const Object& one) {
    heap_.work(4 + one.bases.size());
    if (++count > most_bases) return false;
    if (&one == type.get()) return true;
    if (const auto at = rules_.calls.find(one.name + "." + name); at != rules_.calls.end()) rule = &*at->second;
    if (const auto at = one.names.find(name); at != one.names.end()) found = at->second;
    return !found && rule == nullptr;
  });
  const auto* function = found ? found->get<std::shared_ptr<const Function>>() : nullptr;
  if (rule == nullptr && function == nullptr) return;
  Arguments arguments;
  for (const auto one : given)
    if (one.is(NodeKind::keyword) && one.text() != "metaclass")
      arguments.push_back({std::string(one.text()), evaluate(python_, frame, one[0])});
  const Value self = type;
  if (rule != nullptr && follows(frame)) python_.requests.run_rule(frame, *rule, arguments);
  if (rule == nullptr) python_.calls.call_function(frame, *function, arguments, &self);
}

std::string Function::full_name() const {
  std::string name(module);
  name += '.';
  name += qualifier;
  return name += node.is(NodeKind::lambda) ? "<lambda>" : node[0].text();
}

Value Definitions::define_function(Frame& frame, const Node& statement) {
  auto function = heap_.make<Function>();
  const bool lambda = statement.is(NodeKind::lambda);
  function->source = frame.source;
  function->node = statement;
  auto& module = *frame.module;
  if (module.kept_name != module.name) module.kept_name = keep_name(module.name);
  function->module = module.kept_name;
  function->qualifier = frame.qualifier;
  function->scope = frame.scope;
  function->defaults = define_parameters(frame, statement[lambda ? 0 : 2]);
  const bool annotations = !lambda && evaluates_annotations(frame);
  if (annotations && statement[3].there()) evaluate(python_, frame, statement[3]);
  return std::shared_ptr<const Function>(std::move(function));
}

/// Default values and annotations are evaluated when the function is defined. Gives back the former.
std::vector<Value> Definitions::define_parameters(Frame& frame, const Node& all) {
  std::vector<Value> defaults;
  const bool annotations = evaluates_annotations(frame);
  for (const auto one : all) {
    if (one.text().empty()) continue;
    if (annotations && one[0].there()) evaluate(python_, frame, one[0]);
    if (!one[1].there()) continue;
    defaults.push_back(evaluate(python_, frame, one[1]));
    heap_.keep(defaults.back());
  }
  return defaults;
}

}  // namespace cudald::python

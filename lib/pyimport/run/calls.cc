#include <algorithm>
#include <functional>

#include "pyimport/environment/environment_files.h"
#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr int max_call_depth = 25;
constexpr std::size_t max_call_steps = 3000;  ///< of a call from module level, with all it calls
constexpr std::size_t max_module_steps = 300000;
constexpr std::uint64_t work_per_step = 8;
constexpr std::size_t nodes_per_step = 16;
constexpr CostLimits expression_limits{.depth = 150};

constexpr std::string_view loading_words[] = {"import_module", "__import__",  "CDLL",           "WinDLL",
                                              "PyDLL",         "LoadLibrary", "LoadLibraryExW", "add_dll_directory"};

}  // namespace

Calls::Calls(Interpreter& python) : Part(python), expressions_(expression_limits) {}

bool is_derived_from_str(const Object& type) {
  bool known = true, is_text = false;
  visit_classes(type, [&](const Object& one) {
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      is_text = is_text || (named != nullptr && named->name == "builtins.str");
      known = known && (base.get<ObjectRef>() != nullptr || (named != nullptr && named->name == "builtins.str"));
    }
    return known && !one.doubtful;
  });
  return known && is_text;
}

const std::string* text_behind(const Value& value, std::initializer_list<std::string_view> asked) {
  const auto* object = value.get<ObjectRef>();
  if (object == nullptr || (*object)->is_class || (*object)->doubtful) return nullptr;
  const auto at = (*object)->names.find(text_of_instance);
  if (at == (*object)->names.end()) return nullptr;
  bool own = false;
  visit_classes(**object, [&](const Object& one) {
    own = own || one.names.contains("__getattribute__") ||
          std::any_of(asked.begin(), asked.end(), [&](auto name) { return one.names.contains(name); });
    return !own;
  });
  return own ? nullptr : at->second.get<std::string>();
}

/// Whether a function, or one of its own module that it names, asks for a module or a library. Most functions of the
/// standard library do not, and are not followed.
bool Calls::may_load(const Module& module, const Source& source, const Node& function, int depth) {
  const auto key = key_of(source, function);
  const auto [known, is_new] = may_load_.try_emplace(key, false);
  if (!is_new || depth > 3) return known->second;
  return may_load_[key] = names_a_load(module, source, source.body(function), depth);
}

bool Calls::names_a_load(const Module& module, const Source& source, const Node& node, int depth) {
  heap_.work(1);
  if (node.is(NodeKind::import) || node.is(NodeKind::from_import)) return true;
  if (node.is(NodeKind::name) || node.is(NodeKind::attribute)) {
    const auto word = node.text();
    if (std::find(std::begin(loading_words), std::end(loading_words), word) != std::end(loading_words)) return true;
    const auto at = module.names.find(word);
    const auto* named = at == module.names.end() ? nullptr : at->second.get<std::shared_ptr<const Function>>();
    if (named != nullptr && (*named)->module == module.name && !(*named)->node.is(NodeKind::lambda) &&
        may_load(module, source, (*named)->node, depth + 1))
      return true;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const bool body = node.is(NodeKind::function) && i + 1 == node.size();
    if (names_a_load(module, source, body ? source.body(node) : node[i], depth)) return true;
  }
  return false;
}

bool Calls::makes_generator(const Function& function) {
  if (function.node.is(NodeKind::lambda)) return false;
  const auto [known, is_new] = makes_generator_.try_emplace(key_of(*function.source, function.node), false);
  if (is_new) known->second = has_node(function.source->body(function.node), NodeKind::yield);
  return known->second;
}

/// What a loop sees: the items of a list, the keys of a dictionary, what a generator yields.
std::optional<ListItems> Calls::items_of(Frame& frame, const Value& value) {
  python_.escapes.use(value, Escapes::Use::items);
  if (const auto* list = value.get<List>()) return heap_.copy(*list);
  if (const auto* dict = value.get<Dict>()) {
    ListItems keys({}, dict->items->doubt());
    heap_.keep(Heap::size_of(*dict->items));
    for (const auto& [key, held, may_lack] : *dict->items)
      if (!key.unknown()) keys.push_back(key);
    return keys;
  }
  if (const auto* text = value.get<std::string>()) {
    if (!is_ascii(heap_, *text)) return std::nullopt;
    std::vector<Value> letters;
    for (const char c : *text) letters.emplace_back(std::string(1, c));
    heap_.keep(Heap::size_of(letters));
    return letters;
  }
  if (const auto* named = value.get<Named>(); named != nullptr && named->name == "sys.modules")
    return python_.sys_modules.module_names();
  if (const auto* generator = value.get<Generator>()) {
    std::vector<Value> yielded;
    const auto scope = heap_.make<Scope>(*generator->scope);
    const auto left = run_function(frame, generator->function, scope, &yielded);
    if (left.unknown()) return std::nullopt;
    return yielded;
  }
  return std::nullopt;
}

/// What a function does that may be another one is doubtful.
Value Calls::call(Frame& frame, const Value& callee, const Arguments& arguments) {
  const bool doubtful = std::exchange(frame.doubtful, frame.doubtful || python_.escapes.is_doubtful(callee));
  const AtEnd leave([&] { frame.doubtful = doubtful; });
  return call_followed(frame, callee, arguments);
}

namespace {

/// What a function of Python's own raises for some arguments; empty if it takes any.
std::string_view refusal_of_builtin(std::string_view name, std::size_t arguments) {
  constexpr std::pair<std::string_view, std::string_view> refusals[] = {
      {"builtins.int", "ValueError"},        {"builtins.float", "ValueError"}, {"builtins.next", "StopIteration"},
      {"builtins.max", "ValueError"},        {"builtins.min", "ValueError"},   {"builtins.len", "TypeError"},
      {"builtins.iter", "TypeError"},        {"builtins.list", "TypeError"},   {"builtins.tuple", "TypeError"},
      {"builtins.set", "TypeError"},         {"builtins.dict", "TypeError"},   {"builtins.sorted", "TypeError"},
      {"builtins.getattr", "AttributeError"}};
  if (name == "builtins.getattr" && arguments > 2) return {};
  const auto* found =
      std::find_if(std::begin(refusals), std::end(refusals), [&](const auto& one) { return one.first == name; });
  return found == std::end(refusals) ? std::string_view() : found->second;
}

}  // namespace

Value Calls::call_followed(Frame& frame, const Value& callee, const Arguments& arguments) {
  const AtEnd leave([&] { all_written_ = false; });
  decorates_ = std::exchange(decorating_, false);
  if (const auto* function = callee.get<std::shared_ptr<const Function>>())
    return call_function(frame, *function, arguments, nullptr);
  if (const auto* method = callee.get<Method>()) {
    const Value self = method->self;
    return call_function(frame, method->function, arguments, &self);
  }
  if (const auto* object = callee.get<ObjectRef>()) {
    if ((*object)->is_class) return call_class(frame, *object, arguments);
    if ((*object)->name == partial_object) return call_partial(frame, **object, arguments);
    const auto called = python_.bindings.member(**object, "__call__");
    const auto* function = called ? called->get<std::shared_ptr<const Function>>() : nullptr;
    if (function != nullptr) return call_function(frame, *function, arguments, &callee);
    python_.escapes.escape(callee);
    return python_.escapes.opaque_call(arguments);
  }
  if (const auto* named = callee.get<Named>()) {
    const auto name = named->name;
    const bool of_text = name == "builtins.str" || name == "builtins.repr" || name == "builtins.print";
    if (name.starts_with("builtins."))
      for (const auto& argument : arguments)
        python_.escapes.use(argument.value, of_text ? Escapes::Use::text : Escapes::Use::builtin);
    if (const auto rule = rules_.calls.find(name); rule != rules_.calls.end() && follows(frame)) {
      return python_.requests.run_rule(frame, *rule->second, arguments);
    }
    if (auto value = call_known(frame, name, arguments)) {
      if (value->unknown()) python_.doubt.may_raise(refusal_of_builtin(name, arguments.size()));
      return *value;
    }
    if (name.starts_with("builtins.")) return call_builtin(frame, name, arguments);
  }
  return python_.escapes.opaque_call(arguments);
}

/// The arguments that it has already, and these, of which the keywords come in place of its own.
Value Calls::call_partial(Frame& frame, const Object& partial, const Arguments& arguments) {
  const auto function = partial.names.find("func"), args = partial.names.find("args"),
             keywords = partial.names.find("keywords");
  const auto end = partial.names.end();
  const auto* before = args == end ? nullptr : args->second.get<List>();
  const auto* named = keywords == end ? nullptr : keywords->second.get<Dict>();
  if (function == end || before == nullptr || named == nullptr) return python_.escapes.opaque_call(arguments);
  Arguments all;
  for (const auto& value : *before->items) all.push_back({"", value});
  for (const auto& [key, value, may_lack] : *named->items) {
    const auto* name = key.get<std::string>();
    const bool again = name == nullptr || std::any_of(arguments.begin(), arguments.end(),
                                                      [&](const Argument& one) { return one.keyword == *name; });
    if (!again) all.push_back({*name, value});
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  heap_.work(all.size());
  const auto callee = function->second;
  return call_followed(frame, callee, all);
}

/// Python's own functions that are not followed change nothing of what they get, but for a few.
Value Calls::call_builtin(Frame& frame, const std::string& name, const Arguments& arguments) {
  if (name == "builtins.eval" || name == "builtins.exec") {
    frame.module->doubtful = true;
    return python_.escapes.opaque_call(arguments);
  }
  // Since a class has an __init__ of its own, this one refuses all arguments.
  // Source: CPython 3.11 Objects/typeobject.c, object_init.
  if (name == "builtins.object.__init__ of super") {
    const bool is_known =
        std::none_of(arguments.begin(), arguments.end(), [](const Argument& one) { return one.keyword == "*"; });
    if (is_known && !arguments.empty())
      python_.doubt.raise_if_certain(
          frame, {"TypeError", "object.__init__() takes exactly one argument (the instance to initialize)"});
    return None{};
  }
  if (name == "builtins.object.__new__ of super" || name == "builtins.object.__new__") {
    const auto* type = arguments.empty() ? nullptr : arguments[0].value.get<ObjectRef>();
    if (type != nullptr && (*type)->is_class) return new_instance(*type);
    return python_.escapes.opaque_call(arguments);
  }
  if (name == super_object)
    if (auto made = python_.bindings.made_by_super(frame, arguments)) return *made;
  const bool is_method = name.find('.', name.find('.') + 1) != std::string::npos;  // object.__setattr__(self, ...)
  if (is_method) return python_.escapes.opaque_call(arguments);
  if (name == "builtins.delattr") python_.escapes.escape_arguments(arguments);
  if (name == "builtins.super" && frame.scope != nullptr)
    for (const auto& [held, value] : frame.scope->names)
      if (value.get<ObjectRef>() != nullptr) python_.escapes.escape(value);
  if (!is_builtin_exception(std::string_view(name).substr(9))) python_.doubt.note_opaque_call();
  return Unknown{};
}

/// Whether a class of its own, or one that it is derived from, may be another one; of those that are not followed
/// nothing is known, and of several bases not which of them has the word.
bool Calls::has_doubtful_class(const Object& type) {
  bool doubtful = false;
  visit_classes(type, [&](const Object& one) {
    doubtful = doubtful || one.doubtful;
    int followed = 0;
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      const bool own = named != nullptr && is_builtin_class(*named);
      followed += base.get<ObjectRef>() != nullptr ? 1 : 0;
      doubtful = doubtful || !(own || base.get<ObjectRef>() != nullptr) || followed > 1;
    }
    return !doubtful;
  });
  return doubtful;
}

ObjectRef Calls::new_instance(const ObjectRef& type) {
  auto instance = heap_.make<Object>();
  instance->name = type->name;
  instance->is_class = false;
  instance->bases = {type};
  instance->doubtful = type->doubtful || type->names.contains("__new__") || has_doubtful_class(*type);
  return instance;
}

/// Whether the methods of an object are those that its classes have: nobody makes or changes it in a way of its own.
bool Calls::is_plain_owner(const Value& self) const {
  const auto* object = self.get<ObjectRef>();
  if (object == nullptr || python_.escapes.is_doubtful(self) || python_.bindings.member(**object, "__new__"))
    return false;
  return is_called_plainly(**object);
}

/// Whether calling a class asks its `__new__` and `__init__`, as no metaclass or decorator makes it otherwise.
bool Calls::is_called_plainly(const Object& type) const {
  bool plain = true;
  visit_classes(type, [&](const Object& one) {
    const bool made_otherwise = one.metaclass != nullptr && python_.bindings.member(*one.metaclass, "__call__");
    plain = plain && !one.doubtful && (!one.is_class || (one.metaclass_known && !made_otherwise && !one.decorated));
    return plain;
  });
  return plain;
}

/// A `__new__` that is followed runs for what it raises and loads: `super().__new__(cls, **kwargs)` of a release whose
/// base takes other keywords. What it makes is only taken where it is an instance.
ObjectRef Calls::made_by_new(Frame& frame, const ObjectRef& type, const Arguments& arguments) {
  const auto held = python_.bindings.member(*type, "__new__");
  const auto* function = held ? held->get<std::shared_ptr<const Function>>() : nullptr;
  if (function == nullptr || !is_called_plainly(*type) || finder_.in_standard_library((*function)->source->path()))
    return new_instance(type);
  Arguments all{{"", type}};
  all.insert(all.end(), arguments.begin(), arguments.end());
  heap_.work(all.size());
  const auto value = call_function(frame, *function, all, nullptr);
  const auto* made = value.get<ObjectRef>();
  const bool is_instance = made != nullptr && !(*made)->is_class && !(*made)->bases.empty() &&
                           (*made)->bases[0].get<ObjectRef>() != nullptr && *(*made)->bases[0].get<ObjectRef>() == type;
  if (!is_instance) return new_instance(type);
  (*made)->doubtful = true;
  return *made;
}

Value Calls::call_class(Frame& frame, const ObjectRef& type, const Arguments& arguments) {
  if (auto value = call_known(frame, type->name, arguments)) return *value;
  if (const auto rule = rules_.calls.find(type->name); rule != rules_.calls.end() && follows(frame))
    python_.requests.run_rule(frame, *rule->second, arguments);
  constexpr std::string_view of_metaclass[] = {"__call__"};
  if (type->metaclass != nullptr && python_.escapes.use_methods(*type->metaclass, of_metaclass))
    python_.doubt.note_opaque_call();
  const bool all_written = all_written_;
  const auto instance = made_by_new(frame, type, arguments);
  const auto init = python_.bindings.member(*type, "__init__");
  const auto* function = init ? init->get<std::shared_ptr<const Function>>() : nullptr;
  const Value self = instance;
  const auto* text =
      arguments.size() == 1 && arguments[0].keyword.empty() ? arguments[0].value.get<std::string>() : nullptr;
  if (function == nullptr && text != nullptr && !type->names.contains("__new__") && is_derived_from_str(*type)) {
    instance->names.emplace(text_of_instance, *text);
    return instance;
  }
  all_written_ = all_written && function != nullptr;
  if (function != nullptr)
    call_function(frame, *function, arguments, &self);
  else if (!arguments.empty())
    python_.escapes.opaque_call(arguments);
  return instance;
}

/// What the call of a function gives whose body is not run: known by its name, or not followed.
std::optional<Value> Calls::call_without_body(Frame& caller, const Function& function, const Arguments& arguments,
                                              const Value* self, bool decorates) {
  if (!function.is_followed) {
    const auto qualified = function.full_name();
    if (const auto rule = rules_.calls.find(qualified); rule != rules_.calls.end())
      return follows(caller) ? python_.requests.run_rule(caller, *rule->second, arguments) : Value(Unknown{});
    if (auto value = call_known(caller, qualified, arguments)) return value;
    function.is_followed = environment_.windows == nullptr;  // what is known there hangs on more than the name
  }
  const auto not_followed = [&] {
    if (self != nullptr) python_.escapes.escape(*self);
    python_.escapes.escape_mentioned(function);
    return python_.escapes.opaque_call(arguments);
  };
  auto* module = python_.sys_modules.find_loaded(function.module);
  if (module == nullptr || function.node.word() == Word::async) return not_followed();
  if (!makes_generator(function) && finder_.in_standard_library(function.source->path()) &&
      !function.node.is(NodeKind::lambda) && !may_load(*module, *function.source, function.node, 0)) {
    // The decorators of the standard library call nothing.
    const bool is_function = arguments.size() == 1 && arguments[0].value.get<std::shared_ptr<const Function>>();
    return decorates && is_function ? Value() : not_followed();
  }
  return std::nullopt;
}

/// Which arguments a call has is sure where they are written, also where the value of one of them hangs on what is not.
void Calls::refuse_arguments(const Frame& caller, const Function& function, const Arguments& arguments,
                             const Value* self, bool all_written) {
  if (function.is_wrapped || function.source->is_cython() || (self != nullptr && !is_plain_owner(*self))) return;
  const bool touched = python_.doubt.touched();
  if (all_written) python_.doubt.set_touched(false);
  refuse_keyword(caller, function, arguments);
  refuse_missing(caller, function, arguments, self != nullptr);
  python_.doubt.set_touched(touched);
}

Value Calls::call_function(Frame& caller, const std::shared_ptr<const Function>& called, const Arguments& arguments,
                           const Value* self) {
  const auto& function = *called;
  refuse_arguments(caller, function, arguments, self, std::exchange(all_written_, false));
  const bool decorates = std::exchange(decorates_, false);
  auto without_body = call_without_body(caller, function, arguments, self, decorates);
  body_was_run_ = false;
  if (without_body) return *std::move(without_body);
  auto scope = heap_.make<Scope>();
  bind(*scope, function, arguments, self);
  if (makes_generator(function)) return Generator{called, std::move(scope)};
  const bool touched = python_.doubt.set_touched(false);  // what runs in it does not count, but what it gives
  const AtEnd leave([&] { python_.doubt.set_touched(touched); });
  auto value = function.results != nullptr ? call_once(caller, called, arguments, self, std::move(scope))
                                           : run_function(caller, called, std::move(scope), nullptr);
  body_was_run_ = true;
  return value;
}

/// A function that keeps its results runs once for equal arguments.
Value Calls::call_once(Frame& caller, const std::shared_ptr<const Function>& called, const Arguments& arguments,
                       const Value* self, std::shared_ptr<Scope> scope) {
  constexpr std::size_t most = 100;
  std::vector<Value> given;
  if (self != nullptr) given.push_back(*self);
  for (const auto& [keyword, value] : arguments) {
    if (!keyword.empty()) given.emplace_back(keyword + "=");
    given.push_back(value);
  }
  heap_.keep(Heap::size_of(given));
  const auto key = heap_.list(std::move(given));
  auto& results = *called->results;
  for (std::size_t i = 0; i < results.size(); i += 2)
    if (equal(heap_, results[i], key) == true) return results[i + 1];
  auto value = run_function(caller, called, std::move(scope), nullptr);
  if (caller.maybe || caller.doubtful || results.size() >= 2 * most) return value;
  heap_.keep(value);
  results.insert(results.end(), {key, value});
  return value;
}

/// As a message calls a function: since Python 3.10 with its class.
std::string Calls::name_in_message(const Function& function) const {
  constexpr int first_with_class = 10;
  auto name = function.node.is(NodeKind::lambda) ? "<lambda>" : std::string(function.node[0].text());
  return minor_of(environment_.version) >= first_with_class ? std::string(function.qualifier) + name : name;
}

namespace {

std::string_view top_package(std::string_view module) { return module.substr(0, module.find('.')); }

/// Who calls a function from another package, which may have handed arguments on.
const Frame& caller_outside(const Frame& caller, const Function& function) {
  const auto* from = &caller;
  while (from->module != nullptr && from->caller != nullptr && from->caller->source != nullptr &&
         top_package(from->module->name) == top_package(function.module))
    from = from->caller;
  return *from;
}

}  // namespace

/// A keyword that no parameter takes is an error, whatever the function does: `attr.s(eq=False)` before attrs 19.2.
void Calls::refuse_keyword(const Frame& caller, const Function& function, const Arguments& arguments) {
  const bool has_keywords = std::any_of(arguments.begin(), arguments.end(),
                                        [](const Argument& one) { return !one.keyword.empty() && one.keyword != "*"; });
  if (caller.source == nullptr || !has_keywords) return;
  const auto parameters = parameters_of(function);
  heap_.work((1 + arguments.size()) * (1 + parameters.size()));
  for (const auto parameter : parameters)
    if (parameter.word() == Word::stars) return;
  for (const auto& [keyword, value] : arguments) {
    if (keyword.empty() || keyword == "*") continue;
    bool takes = false;
    for (const auto parameter : parameters)
      takes = takes || (parameter.text() == keyword && parameter.word() != Word::star);
    if (takes) continue;
    PythonError error{"TypeError",
                      name_in_message(function) + "() got an unexpected keyword argument '" + keyword + "'"};
    const auto& from = caller_outside(caller, function);
    error.lacked = std::make_shared<LackedName>(
        LackedName{keyword, std::string(function.module), function.source->path(), from.source->path(), from.line});
    python_.doubt.raise_if_certain(caller, std::move(error));
  }
}

namespace {

/// "'a'", "'a' and 'b'", "'a', 'b', and 'c'".
std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (i > 0) text += last ? (names.size() > 2 ? ", and " : " and ") : ", ";
    text.append("'").append(names[i]).append("'");
  }
  return text;
}

}  // namespace

/// A parameter without a default gets no value: yaml.load(text) since PyYAML 6, discord.Client() since 2.0.
/// Source: CPython 3.11 Python/ceval.c, missing_arguments and format_missing.
void Calls::refuse_missing(const Frame& caller, const Function& function, const Arguments& arguments, bool self) {
  // Others with such names get their class or object by rules of their own, as __init_subclass__ does.
  const auto called = function.node.is(NodeKind::lambda) ? std::string_view() : function.node[0].text();
  if (caller.source == nullptr || (called.starts_with("__") && called != "__init__")) return;
  std::size_t given = self ? 1 : 0;
  for (const auto& argument : arguments) {
    if (argument.keyword == "*") return;
    given += argument.keyword.empty() ? 1 : 0;
  }
  const auto parameters = parameters_of(function);
  if (given >= parameters.size()) return;
  heap_.work((1 + arguments.size()) * (1 + parameters.size()));
  std::vector<std::string_view> positional, named;
  std::size_t place = 0;
  for (const auto parameter : parameters) {
    const auto name = parameter.text();
    if (name.empty() || parameter.word() == Word::star || parameter.word() == Word::stars) continue;
    const bool only_named = parameter.word() == Word::at;
    const bool by_place = !only_named && place++ < given;
    const bool by_name =
        std::any_of(arguments.begin(), arguments.end(), [&](const Argument& one) { return one.keyword == name; });
    if (!by_place && !by_name && !parameter[1].there()) (only_named ? named : positional).push_back(name);
  }
  if (positional.empty() && named.empty()) return;
  const auto& lacked = positional.empty() ? named : positional;
  PythonError error{"TypeError", name_in_message(function) + "() missing " + std::to_string(lacked.size()) +
                                     " required " + (positional.empty() ? "keyword-only" : "positional") + " argument" +
                                     (lacked.size() == 1 ? "" : "s") + ": " + listed(lacked)};
  const auto& from = caller_outside(caller, function);
  const bool of_other = from.module != nullptr && top_package(from.module->name) != top_package(function.module) &&
                        !finder_.in_standard_library(function.source->path());
  if (of_other && lacked.size() == 1)
    error.lacked = std::make_shared<LackedName>(LackedName{std::string(lacked.front()), std::string(function.module),
                                                           function.source->path(), from.source->path(), from.line});
  python_.doubt.raise_if_certain(caller, std::move(error));
}

/// Gives the parameters their values.
void Calls::bind(Scope& scope, const Function& function, const Arguments& arguments, const Value* self) {
  const auto parameters = parameters_of(function);
  heap_.work((1 + arguments.size()) * (1 + parameters.size()));
  bool more = false;  // `*args` that are not known
  for (const auto& argument : arguments) more = more || argument.keyword == "*";
  std::vector<const Value*> positional;
  positional.reserve(1 + arguments.size());
  if (self != nullptr) positional.push_back(self);
  for (const auto& argument : arguments)
    if (argument.keyword.empty()) positional.push_back(&argument.value);
  std::size_t next = 0;
  auto given = function.defaults.begin();
  scope.names.reserve(parameters.size());
  for (const auto parameter : parameters) {
    const auto name = parameter.text();
    if (name.empty()) continue;
    const auto* const preset = parameter[1].there() ? &*given++ : nullptr;
    Value value = Unknown{};
    const auto keyword = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Argument& argument) { return argument.keyword == name; });
    if (parameter.word() == Word::star) {
      std::vector<Value> rest;
      for (; next < positional.size(); ++next) rest.push_back(*positional[next]);
      if (!more) value = heap_.list(std::move(rest));
    } else if (parameter.word() == Word::stars) {
      if (!more) value = other_keywords(function, arguments);
    } else {
      if (keyword != arguments.end())
        value = keyword->value;
      else if (parameter.word() != Word::at && next < positional.size())
        value = *positional[next++];
      else if (!more && preset != nullptr)
        value = *preset;
    }
    heap_.keep(value);
    scope.kept += Heap::size_of(value);
    scope.names.insert_or_assign(name, std::move(value));
  }
}

void put_keyword(Heap& heap, DictItems& items, const Argument& argument, bool maybe) {
  if (argument.keyword == "*")
    items.doubt_more(heap);
  else if (!argument.keyword.empty())
    items.put(heap, argument.keyword, argument.value, maybe);
}

/// What `**kwargs` holds.
Value Calls::other_keywords(const Function& function, const Arguments& arguments) {
  auto dict = heap_.dict();
  const auto is_parameter = [&](std::string_view name) {
    for (const auto one : parameters_of(function))
      if (one.text() == name && one.word() != Word::star && one.word() != Word::stars) return true;
    return false;
  };
  for (const auto& argument : arguments) {
    if (argument.keyword.empty() || is_parameter(argument.keyword)) continue;
    put_keyword(heap_, *dict.items, argument, false);
  }
  return dict;
}

/// Runs the body; of a generator, `yielded` gets what it yields.
Value Calls::run_function(Frame& caller, const std::shared_ptr<const Function>& called, std::shared_ptr<Scope> scope,
                          std::vector<Value>* yielded) {
  const auto& function = *called;
  const auto key = key_of(*function.source, function.node);
  auto* module = python_.sys_modules.find_loaded(function.module);
  // What it would do, or would have done, is not known.
  const auto give_up = [&](const Scope& with) {
    python_.doubt.note_opaque_call();
    std::vector<Value> held;
    for (const auto& [name, value] : with.names) held.push_back(value);
    for (const auto& value : held) python_.escapes.escape(value);
    python_.escapes.escape_mentioned(function);
    return Value();
  };
  if (module == nullptr || depth_ >= max_call_depth || too_long_.contains(key)) return give_up(*scope);
  Frame frame;
  frame.module = module;
  frame.source = function.source;
  frame.scope = std::move(scope);
  frame.scope->outer = function.scope;
  frame.in_function = true;
  frame.maybe = caller.maybe;
  frame.may_be_left_out = caller.may_be_left_out;
  frame.doubtful = caller.doubtful || function.is_wrapped || yielded != nullptr;
  frame.keeps_doubt = true;
  frame.yielded = yielded;
  frame.function = called.get();
  frame.caller = &caller;
  frame.line = function.node.line();
  if (depth_ == 0) call_steps_ = 0;
  ++depth_;
  const AtEnd leave([&] {
    --depth_;
    heap_.give_back(frame.scope);
  });
  try {
    if (function.node.is(NodeKind::lambda))
      frame.result = evaluate(python_, frame, function.node[1]);
    else
      python_.statements.run(frame, function.source->body(function.node));
    python_.tracker.note_left_out(*function.source);
  } catch (const StepLimit&) {
    too_long_.insert(key);
    give_up(*frame.scope);
    if (depth_ > 1) throw;
    return Unknown{};
  }
  // What is yielded behind an unknown condition is not known.
  frame.result.doubtful = frame.result.doubtful || frame.doubtful;
  const bool unsure = frame.maybe || frame.may_have_yielded;
  return yielded != nullptr && unsure ? Value() : frame.result;
}

void Calls::count_steps(std::size_t steps) {
  auto& counter = depth_ > 0 ? call_steps_ : module_steps_;
  counter += steps;
  heap_.work(work_per_step * steps);
  if (counter > (depth_ > 0 ? max_call_steps : max_module_steps)) throw StepLimit();
}

bool Calls::run_counted(Frame& frame) {
  // A call that is still being followed must not limit the modules it imports.
  const auto steps = std::pair(std::exchange(call_steps_, 0), std::exchange(module_steps_, 0));
  const auto depth = std::exchange(depth_, 0);
  const AtEnd restore([&] { std::tie(call_steps_, module_steps_) = steps, depth_ = depth; });
  try {
    python_.statements.run(frame, frame.source->block());
  } catch (const StepLimit&) {
    return false;
  }
  return true;
}

void Calls::note_steps(const Frame& frame) {
  python_.tracker.note(frame.source->path() + " takes too many steps; it was followed up to line " +
                       std::to_string(frame.line));
}

void Calls::count_node() {
  if (++nodes_ % nodes_per_step == 0) count_steps(1);
}

}  // namespace cudald::python

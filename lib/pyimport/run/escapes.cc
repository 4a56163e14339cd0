// Values that code gets which is not followed: what they hold may be changed there, now or later.

#include <algorithm>
#include <set>

#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t most_escaped = 20000;  ///< values that one call may reach

/// Names that a tree of statements or of an expression mentions, bodies of functions included.
template <typename Take>
void for_names(const Source& source, const Node& node, const Take& take) {
  if (node.is(NodeKind::name) || node.is(NodeKind::global) || node.is(NodeKind::nonlocal)) take(node);
  for (std::size_t i = 0; i < node.size(); ++i) {
    const bool body = node.is(NodeKind::function) && i + 1 == node.size();
    for_names(source, body ? source.body(node) : node[i], take);
  }
}

}  // namespace

/// Whether what a list or dictionary holds is doubtful, though not which elements there are.
bool Escapes::holds_doubtful(const Value& value) const {
  if (const auto* list = value.get<List>()) return list->items->holds_doubtful;
  const auto* dict = value.get<Dict>();
  return dict != nullptr && dict->items->holds_doubtful;
}

bool Escapes::is_doubtful(const Value& value) const { return has_doubtful_parts(value) || holds_doubtful(value); }

/// The same, but for the elements of a list or dictionary, each of which says so of itself.
bool Escapes::has_doubtful_parts(const Value& value) const {
  if (value.doubtful) return true;
  if (const auto* list = value.get<List>()) return list->items->doubtful;
  if (const auto* dict = value.get<Dict>()) return dict->items->doubtful;
  const auto* method = value.get<Method>();
  const auto* object = method != nullptr ? &method->self : value.get<ObjectRef>();
  if (object == nullptr) return false;
  const auto* type = (*object)->is_class || (*object)->bases.empty() ? nullptr : (*object)->bases[0].get<ObjectRef>();
  return (*object)->doubtful || (type != nullptr && (*type)->doubtful);
}

const Mentions& Escapes::mentions_of(const Function& function) {
  const auto [at, is_new] = mentions_.try_emplace(key_of(*function.source, function.node));
  if (!is_new) return at->second;
  std::set<std::string> names, declared;
  const auto body = function.node.back();
  if (body.is(NodeKind::unread_body)) {
    const auto text = function.source->text();
    bool complete = true, declares = false;
    for (const auto& token : scan(*text, body.excerpt(), cost_, complete)) {
      const auto name = std::string_view(*text).substr(token.begin, token.size);
      const bool is_attribute = token.begin > 0 && (*text)[token.begin - 1] == '.';
      const bool reads = name == "globals" && binds_no_name(*text, token.begin, name);
      if (token.kind == TokenKind::name && !is_attribute && !reads) names.emplace(name);
      if (declares && token.kind == TokenKind::name) declared.emplace(name);
      declares = name == "global" || name == "nonlocal" || (declares && token.kind != TokenKind::line_end);
    }
  } else {
    for_names(*function.source, body, [&](const Node& name) {
      names.emplace(name.text());
      if (!name.is(NodeKind::name))
        for (const auto one : name) declared.emplace(one.text());
    });
  }
  heap_.work(names.size());
  for (const auto& name : names) heap_.keep(sizeof(name) + name.size());
  for (const auto& name : declared) heap_.keep(sizeof(name) + name.size());
  return at->second = {{names.begin(), names.end()}, {declared.begin(), declared.end()}};
}

/// What a function that may be called some time may change: the names that it declares, and what those hold that it
/// mentions.
void Escapes::escape_mentions(const Function& function, std::vector<Value>& reached) {
  auto* module = python_.sys_modules.find_loaded(function.module);
  if (module == nullptr) return;
  const auto at_top = function.qualifier.empty() && !function.node.is(NodeKind::lambda)
                          ? function.node[0].text()
                          : function.qualifier.substr(0, function.qualifier.find('.'));
  if (escaped_.emplace(module->name, at_top).second) heap_.keep(4 * (module->name.size() + at_top.size()));
  const auto& [names, declared] = mentions_of(function);
  const bool is_own = !finder_.in_standard_library(module->path);
  // It may bind names that are not there yet. The names that os and its like have are known all the same.
  if (is_own && std::binary_search(names.begin(), names.end(), "globals")) module->doubtful = true;
  if (is_own)
    for (const auto& name : declared)
      if (module->bound_unseen.emplace(name).second) heap_.keep(sizeof(name) + name.size());
  for (const auto& name : names) {
    heap_.work(2);
    Value* held = nullptr;
    for (auto* scope = function.scope.get(); scope != nullptr && held == nullptr; scope = scope->outer.get())
      if (const auto at = scope->names.find(name); at != scope->names.end()) held = &at->second;
    if (const auto at = module->names.find(name); held == nullptr && at != module->names.end()) held = &at->second;
    if (held == nullptr) continue;
    if (std::binary_search(declared.begin(), declared.end(), name)) held->doubtful = true;
    if (held->get<ModuleName>() == nullptr) reached.push_back(*held);
  }
}

/// Code gives the same functions away again and again, as decorators do. What they reach is doubtful since the first
/// time; a few more find what was bound since.
bool Escapes::is_worth_a_walk(const Function& function) {
  constexpr int most_walks = 4;
  return ++walks_[key_of(*function.source, function.node)] <= most_walks;
}

/// Nobody changes its classes, as nobody changes its modules.
bool Escapes::is_of_standard_library(const Object& type) {
  const auto* module = python_.sys_modules.find_loaded(std::string_view(type.name).substr(0, type.name.find('.')));
  return module != nullptr && finder_.in_standard_library(module->path);
}

void Escapes::escape(const Value& given) {
  std::vector<Value> waiting{given};
  std::set<const void*> met;
  while (!waiting.empty()) {
    const auto value = std::move(waiting.back());
    waiting.pop_back();
    heap_.work(1);
    if (met.size() > most_escaped) {
      python_.doubt.doubt_all_that_follows();  // it may have reached anything
      return;
    }
    if (const auto* list = value.get<List>(); list != nullptr && met.insert(list->items.get()).second) {
      list->items->doubtful = true;
      waiting.insert(waiting.end(), list->items->begin(), list->items->end());
    } else if (const auto* dict = value.get<Dict>(); dict != nullptr && met.insert(dict->items.get()).second) {
      dict->items->doubtful = true;
      for (const auto& pair : *dict->items) waiting.push_back(pair.value);
    } else if (const auto* object = value.get<ObjectRef>(); object != nullptr && met.insert(object->get()).second) {
      if ((*object)->is_class && is_of_standard_library(**object)) continue;
      (*object)->doubtful = true;
      for (const auto& [name, held] : (*object)->names) waiting.push_back(held);
      if (!(*object)->is_class)
        visit_classes(**object, [&](const Object& one) {
          if (&one != object->get())
            for (const auto& [name, held] : one.names)
              if (held.get<std::shared_ptr<const Function>>() != nullptr) waiting.push_back(held);
          return true;
        });
    } else if (const auto* method = value.get<Method>()) {
      waiting.emplace_back(method->self);
      waiting.emplace_back(method->function);
    } else if (const auto* function = value.get<std::shared_ptr<const Function>>();
               function != nullptr && met.insert(function->get()).second) {
      if (!finder_.in_standard_library((*function)->source->path()) && is_worth_a_walk(**function))
        escape_mentions(**function, waiting);
    } else if (const auto* generator = value.get<Generator>()) {
      for (const auto& [name, held] : generator->scope->names) waiting.push_back(held);
      waiting.emplace_back(generator->function);
    } else if (const auto* name = value.get<ModuleName>()) {
      auto* module = python_.sys_modules.find_loaded(name->name);
      if (module != nullptr && !finder_.in_standard_library(module->path)) module->doubtful = true;
    } else if (const auto* thing = value.get<Thing>();
               thing != nullptr && (thing->kind == ThingKind::globals || thing->kind == ThingKind::frame)) {
      if (auto* module = python_.sys_modules.find_loaded(*thing->text)) module->doubtful = true;
    }
  }
}

/// What code may do with an unknown attribute of a module: call a function of it, not bind another name in it.
void Escapes::escape_attribute(Module& module) {
  if (finder_.in_standard_library(module.path)) return;
  heap_.work(module.names.size());
  std::vector<std::shared_ptr<const Function>> functions;
  for (const auto& [name, value] : module.names)
    if (const auto* function = value.get<std::shared_ptr<const Function>>();
        function != nullptr && (*function)->module == module.name)
      functions.push_back(*function);
  for (const auto& function : functions) {
    if (function->node.is(NodeKind::lambda) || function->node[0].text() != "__getattr__") {
      escape(function);
      continue;
    }
    const auto& mentions = mentions_of(*function);
    const auto has = [&](const char* name) {
      return std::binary_search(mentions.names.begin(), mentions.names.end(), name);
    };
    if (has("globals") || has("setattr") || !mentions.declared.empty()) module.doubtful = true;
  }
}

/// Whether it is a module no function of which binds names of it: one that is called there and not followed, such as a
/// compiled one, does not get the module.
bool Escapes::binds_only_when_run(const Value& module) {
  const auto* name = module.get<ModuleName>();
  const auto* loaded = name == nullptr ? nullptr : python_.sys_modules.find_loaded(name->name);
  return loaded != nullptr && loaded->source != nullptr && !loaded->source->may_rebind();
}

void Escapes::escape_arguments(const Arguments& arguments) {
  for (const auto& argument : arguments) escape(argument.value);
}

void Escapes::escape_mentioned(const Function& function) {
  std::vector<Value> reached;
  escape_mentions(function, reached);
  for (const auto& value : reached) escape(value);
}

namespace {

constexpr std::string_view of_truth[] = {"__bool__", "__len__"};
constexpr std::string_view of_items[] = {"__iter__", "__next__", "__getitem__", "__len__", "__contains__", "keys"};
constexpr std::string_view of_text[] = {"__str__", "__repr__", "__format__", "__fspath__", "__bytes__"};
constexpr std::string_view of_operation[] = {
    "__add__",     "__radd__",    "__iadd__",     "__sub__",      "__rsub__",    "__isub__", "__mul__", "__rmul__",
    "__matmul__",  "__truediv__", "__rtruediv__", "__floordiv__", "__mod__",     "__rmod__", "__pow__", "__lshift__",
    "__rlshift__", "__rshift__",  "__rrshift__",  "__and__",      "__rand__",    "__or__",   "__ror__", "__ior__",
    "__xor__",     "__eq__",      "__ne__",       "__lt__",       "__le__",      "__gt__",   "__ge__",  "__neg__",
    "__pos__",     "__invert__",  "__hash__",     "__delitem__",  "__contains__"};
constexpr std::string_view of_builtins[] = {"__int__",           "__float__",         "__index__", "__abs__",
                                            "__instancecheck__", "__subclasscheck__", "__dir__",   "__reversed__",
                                            "__call__",          "__round__"};
constexpr std::string_view of_definition[] = {"__new__", "__init__", "__prepare__"};
constexpr std::string_view of_name[] = {"__set_name__"};

}  // namespace

bool Escapes::use_methods(const Object& type, std::span<const std::string_view> names) {
  std::vector<std::shared_ptr<const Function>> methods;
  for (const auto name : names) {
    const auto held = python_.bindings.member(type, name);
    const auto* function = held ? held->get<std::shared_ptr<const Function>>() : nullptr;
    if (function != nullptr && !finder_.in_standard_library((*function)->source->path())) methods.push_back(*function);
  }
  for (const auto& method : methods) escape_mentioned(*method);
  return !methods.empty();
}

void Escapes::use(const Value& value, Use use) {
  if (const auto* list = value.get<List>(); list != nullptr && use == Use::text) {  // "%s %s" % (a, b)
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < list->items->size() && i < most; ++i)
      if ((*list->items)[i].get<ObjectRef>() != nullptr) this->use(Value((*list->items)[i]), use);
    return;
  }
  const auto* given = value.get<ObjectRef>();
  if (given == nullptr) return;
  const auto object = *given;
  if (object->is_class && object->metaclass == nullptr) return;
  const auto& type = object->is_class ? *object->metaclass : *object;
  bool used = false;
  if (use == Use::truth || use == Use::builtin) used = use_methods(type, of_truth);
  if (use == Use::items || use == Use::builtin) used = use_methods(type, of_items) || used;
  if (use == Use::text || use == Use::builtin) used = use_methods(type, of_text) || used;
  if (use == Use::operation || use == Use::builtin) used = use_methods(type, of_operation) || used;
  if (use == Use::builtin) used = use_methods(type, of_builtins) || used;
  if (!used) return;
  python_.doubt.note_opaque_call();
  object->doubtful = true;
}

/// What a metaclass does with a class when it is defined, and what the objects in it do when they get their names.
void Escapes::use_definition(const Object& type) {
  if (type.metaclass != nullptr && use_methods(*type.metaclass, of_definition)) python_.doubt.note_opaque_call();
  std::vector<ObjectRef> held;
  for (const auto& [name, value] : type.names)
    if (const auto* object = value.get<ObjectRef>(); object != nullptr && !(*object)->is_class) held.push_back(*object);
  for (const auto& object : held)
    if (use_methods(*object, of_name)) python_.doubt.note_opaque_call(), escape(object);
}

Value Escapes::opaque_call(const Arguments& arguments) {
  python_.doubt.note_opaque_call();
  escape_arguments(arguments);
  return Unknown{};
}

/// Whether code that is not followed may call a function of a module, or a method of a class at its top; Python itself
/// calls those of finders.
bool Escapes::has_escaped(const Module& module, std::string_view definition) const {
  const auto name = module.name + "." + std::string(definition);
  heap_.work(python_.finders.meta_path().items->size());
  const bool is_finder = std::any_of(python_.finders.meta_path().items->begin(),
                                     python_.finders.meta_path().items->end(), [&](const Value& finder) {
                                       const auto* object = finder.get<ObjectRef>();
                                       return object != nullptr && (*object)->name == name;
                                     });
  return is_finder || escaped_.contains({module.name, std::string(definition)});
}

}  // namespace cudald::python

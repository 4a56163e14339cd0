#include <algorithm>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// The types that values are told apart by; of others, bytes and sets among them, nothing is said.
constexpr std::string_view plain_types[] = {"builtins.str",   "builtins.list", "builtins.dict",
                                            "builtins.tuple", "builtins.int",  "builtins.type"};

/// Those of them that a value may be of; nothing if it may be of any. A path is a text here, which nobody mistakes.
std::optional<std::vector<std::string_view>> possible_types(const Value& value) {
  using Types = std::vector<std::string_view>;
  if (value.unknown() || value.is_named()) return std::nullopt;
  if (value.get<std::string>() != nullptr) return Types{"builtins.str"};
  if (value.get<List>() != nullptr) return Types{"builtins.list", "builtins.tuple"};
  if (value.get<Dict>() != nullptr) return Types{"builtins.dict"};
  if (value.get<long long>() != nullptr || value.get<bool>() != nullptr) return Types{"builtins.int"};
  const auto* object = value.get<ObjectRef>();
  if (object == nullptr) return Types{};
  if ((*object)->is_class) return Types{"builtins.type"};
  return all_members_known(**object) ? std::optional(Types{}) : std::nullopt;
}

bool has_class(const Object& object, const Object& type) {
  bool found = false;
  visit_classes(object, [&](const Object& one) {
    found = &one == &type;
    return !found;
  });
  return found;
}

/// A class may claim texts and lists that are no instances of it, by what its metaclass says.
std::optional<bool> is_of_class(const Value& value, const Object& type) {
  const auto* object = value.get<ObjectRef>();
  if (object == nullptr) return std::nullopt;
  if (!(*object)->is_class && has_class(**object, type)) return true;
  return all_members_known(**object) && all_members_known(type) ? std::optional(false) : std::nullopt;
}

std::optional<bool> is_of(const Value& value, const Value& type) {
  if (const auto* object = type.get<ObjectRef>()) return is_of_class(value, **object);
  const auto* named = type.get<Named>();
  if (named == nullptr ||
      std::find(std::begin(plain_types), std::end(plain_types), named->name) == std::end(plain_types))
    return std::nullopt;
  const auto possible = possible_types(value);
  if (!possible) return std::nullopt;
  if (std::find(possible->begin(), possible->end(), named->name) == possible->end()) return false;
  return possible->size() == 1 ? std::optional(true) : std::nullopt;
}

/// Whether a type, or one of those in a tuple, is one for which `holds` says so.
template <typename Holds>
Value any_type(const Value& type, const Holds& holds) {
  const auto* types = type.get<List>();
  if (types == nullptr) return as_value(holds(type));
  std::optional<bool> result = false;
  for (const auto& one : *types->items) {
    const auto is = holds(one);
    if (is == true) return true;
    if (!is) result = std::nullopt;
  }
  return as_value(result);
}

/// Of the exception that is being handled; nothing of classes that are not Python's own.
std::optional<bool> is_handled_kind(const Interpreter& python, const Value& type) {
  constexpr std::string_view own = "builtins.";
  const auto* named = type.get<Named>();
  if (named == nullptr || !named->name.starts_with(own) || python.handlers.handled() == nullptr) return std::nullopt;
  return catches({named->name.substr(own.size())}, python.handlers.handled()->error);
}

Value is_instance(const KnownCall& call) {
  const auto *value = call.argument(0), *type = call.argument(1);
  if (value == nullptr || type == nullptr) return Unknown{};
  if (value->is_no_str) call.python.doubt.touch();
  const auto* named = value->get<Named>();
  const bool handled = named != nullptr && named->name == "exception";
  return any_type(*type,
                  [&](const Value& one) { return handled ? is_handled_kind(call.python, one) : is_of(*value, one); });
}

Value is_subclass(const KnownCall& call) {
  const auto *value = call.argument(0), *type = call.argument(1);
  const auto* named = value == nullptr ? nullptr : value->get<Named>();
  if (named == nullptr || named->name != type_of_exception || type == nullptr) return Unknown{};
  return any_type(*type, [&](const Value& one) { return is_handled_kind(call.python, one); });
}

Value callable(const KnownCall& call) {
  const auto* value = call.argument(0);
  if (value == nullptr || value->unknown() || value->is_named()) return Unknown{};
  if (value->get<std::shared_ptr<const Function>>() != nullptr || value->get<Method>() != nullptr) return true;
  const auto* object = value->get<ObjectRef>();
  if (object == nullptr) return false;
  return (*object)->is_class ? Value(true) : Value();
}

Value type_of(const KnownCall& call) {
  const auto* value = call.arguments.size() == 1 ? call.argument(0) : nullptr;
  if (value == nullptr) return Unknown{};
  const auto* named = value->get<Named>();
  if (named != nullptr && named->name == "exception") return Named{std::string(type_of_exception)};
  if (value->get<ModuleName>() != nullptr) return Named{std::string(type_of_modules)};
  const auto* object = value->get<ObjectRef>();
  if (object != nullptr && (*object)->is_class && (*object)->metaclass_known)
    return (*object)->metaclass ? Value((*object)->metaclass) : Value(Named{"builtins.type"});
  const bool instance = object != nullptr && !(*object)->is_class && !(*object)->bases.empty();
  return instance ? (*object)->bases.front() : Value();
}

/// `cls.__new__(cls)`, by which code makes the one instance of a class: __init__ is not called.
/// Source: CPython 3.11 Objects/typeobject.c, object_new.
Value new_object(const KnownCall& call) {
  const auto* type = call.argument(0);
  const auto* object = type == nullptr ? nullptr : type->get<ObjectRef>();
  return object != nullptr && (*object)->is_class ? Value(call.python.calls.new_instance(*object)) : Value();
}

/// `super().__init__(name)` in a method of a class that is derived from it, whose first parameter is the instance, or
/// `ModuleType.__init__(self, name)`. Source: CPython 3.11 Objects/moduleobject.c, module___init___impl.
Value init_module(const KnownCall& call) {
  const auto* first = call.argument(0);
  const bool by_class = first != nullptr && first->get<ObjectRef>() != nullptr;
  const auto* function = call.frame.function;
  const auto parameters = function == nullptr ? Node() : parameters_of(*function);
  if (!by_class && parameters.size() == 0) return Unknown{};
  const auto self = by_class ? *first : call.python.doubt.known_name(call.frame, parameters[0].text());
  const auto* object = self.get<ObjectRef>();
  if (object == nullptr || (*object)->is_class) return Unknown{};
  const auto* name = call.argument(by_class ? 1 : 0, "name");
  (*object)->names.insert_or_assign("__name__", name == nullptr || call.frame.maybe ? Value() : *name);
  return None{};
}

constexpr KnownFunction type_rows[] = {
    {"builtins.isinstance", is_instance},    {"builtins.issubclass", is_subclass},
    {"builtins.callable", callable},         {"builtins.type", type_of},
    {"builtins.object.__new__", new_object}, {"types.ModuleType.__init__", init_module}};

}  // namespace

std::span<const KnownFunction> known_types() { return type_rows; }

/// A text, or each in a list, as one that stands for a path or for bytes.
Value Calls::no_str(Value value) {
  value.is_no_str = value.get<std::string>() != nullptr;
  const auto* list = value.get<List>();
  if (list == nullptr) return value;
  heap_.work(list->items->size());
  for (auto& item : *list->items) item.is_no_str = item.get<std::string>() != nullptr;
  return value;
}

}  // namespace cudald::python

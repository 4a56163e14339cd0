// super(), and the methods of a class that make what its instances lack: __getattr__ and __getitem__.
#include <algorithm>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// The only base of a class; nothing of one that has several. One of Python's own behind it, as in `class E(Mixin,
/// ImportError)`, is asked last: what the first one has is found there.
std::optional<Value> only_base(const Object& type) {
  if (type.bases.empty()) return Named{"builtins.object"};
  const bool others_are_last = type.bases.front().get<ObjectRef>() != nullptr &&
                               std::all_of(type.bases.begin() + 1, type.bases.end(), [](const Value& base) {
                                 const auto* named = base.get<Named>();
                                 return named != nullptr && is_builtin_class(*named);
                               });
  return type.bases.size() == 1 || others_are_last ? std::optional(type.bases.front()) : std::nullopt;
}

/// Whether a class, or one that it is derived from, has a base behind the first one.
bool has_later_base(const Object& object) {
  bool has_one = false;
  visit_classes(object, [&](const Object& one) {
    has_one = has_one || one.bases.size() > 1;
    return !has_one;
  });
  return has_one;
}

bool has_function(const Object& type, const Function& wanted) {
  return std::any_of(type.names.begin(), type.names.end(), [&](const auto& entry) {
    const auto* function = entry.second.template get<std::shared_ptr<const Function>>();
    return function != nullptr && (*function)->source == wanted.source && (*function)->node.id() == wanted.node.id();
  });
}

}  // namespace

/// `super()` in a method, and `super(Class, self)`, where each of the classes has one base.
std::optional<Value> Bindings::made_by_super(const Frame& frame, const Arguments& arguments) {
  constexpr int most = 50;
  if (frame.function == nullptr || frame.scope == nullptr || (arguments.size() != 0 && arguments.size() != 2))
    return std::nullopt;
  const auto parameters = parameters_of(*frame.function);
  if (arguments.empty() && parameters.size() == 0) return std::nullopt;
  const auto self = arguments.empty() ? python_.doubt.known_name(frame, parameters[0].text()) : arguments[1].value;
  const auto* object = self.get<ObjectRef>();
  const auto* stated = arguments.empty() ? nullptr : arguments[0].value.get<ObjectRef>();
  if (object == nullptr || (!arguments.empty() && stated == nullptr)) return std::nullopt;
  ObjectRef type = *object;
  if (!type->is_class) {
    const auto base = only_base(*type);
    const auto* of_it = base ? base->get<ObjectRef>() : nullptr;
    if (of_it == nullptr) return std::nullopt;
    type = *of_it;
  }
  bool found = false;
  for (int i = 0; i < most; ++i) {
    heap_.work(4 + type->names.size());
    const auto base = only_base(*type);
    if (!base) return std::nullopt;
    if (!found) {
      found = stated != nullptr ? *stated == type : has_function(*type, *frame.function);
      if (found) {
        const auto* named = base->get<Named>();
        const auto* next = base->get<ObjectRef>();
        if (named != nullptr && named->name == "builtins.object" && has_later_base(**object)) return std::nullopt;
        if (named != nullptr && named->name == "builtins.object") return Named{"builtins.object of super"};
        if (named != nullptr && is_known_function(named->name + ".__init__")) return *base;
        if (next == nullptr) return std::nullopt;
        auto made = heap_.make<Object>();
        made->name = super_object;
        made->is_class = false;
        made->bases = {*base};
        made->names.emplace(self_of_super, self);
        for (const auto* rest = next->get(); rest != nullptr;) {
          const auto another = only_base(*rest);
          if (!another) return std::nullopt;
          const auto* ref = another->get<ObjectRef>();
          rest = ref == nullptr ? nullptr : ref->get();
        }
        return made;
      }
    }
    const auto* next = base->get<ObjectRef>();
    if (next == nullptr) return std::nullopt;
    type = *next;
  }
  return std::nullopt;
}

/// What a base class has, bound to the instance itself.
std::optional<Value> Bindings::attribute_of_super(Frame& frame, const Object& object, std::string_view name) {
  const auto self = object.names.find(self_of_super);
  const auto* instance = self == object.names.end() ? nullptr : self->second.get<ObjectRef>();
  const auto* base = object.bases.empty() ? nullptr : object.bases.front().get<ObjectRef>();
  if (instance == nullptr || base == nullptr) return std::nullopt;
  const auto held = *instance;
  const auto value = member(**base, name);
  const bool asks_object = !value && all_members_known(**base) && !has_later_base(*held);
  if (asks_object && (name == "__init__" || name == "__new__"))
    return Named{"builtins.object." + std::string(name) + " of super"};
  const auto* function = value ? value->get<std::shared_ptr<const Function>>() : nullptr;
  if (function == nullptr) return std::nullopt;
  if (name == "__new__") return *function;
  if (held->is_class && (*function)->binding == Function::Binding::type) return Method{*function, held};
  return bound(frame, *function, held, false);
}

/// What an instance makes of a name that it lacks, or of an index: by a method of its class that is followed, or known.
std::optional<Value> Bindings::made_by_object(Frame& frame, const Value& owner, std::string_view special,
                                              const Value& asked) {
  const auto* object = owner.get<ObjectRef>();
  if (object == nullptr || (*object)->is_class || frame.maybe || !follows(frame)) return std::nullopt;
  const auto held = member(**object, special);
  const auto* method = held ? held->get<std::shared_ptr<const Function>>() : nullptr;
  if (method == nullptr || (*method)->is_wrapped || (*method)->node.is(NodeKind::lambda)) return std::nullopt;
  const auto function = *method;
  if (!is_known_function(function->full_name()) &&
      (!python_.calls.is_plain_owner(owner) || member(**object, "__getattribute__") ||
       !(special == "__getattr__" ? plain_names_known(**object) : all_members_known(**object))))
    return std::nullopt;
  const auto self = owner;
  return python_.calls.call_function(frame, function, {{"", asked}}, &self);
}

}  // namespace cudald::python

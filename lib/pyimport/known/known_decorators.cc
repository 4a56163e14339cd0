// Decorators of the standard library that leave a function what it is: what it does is followed.
// Source: CPython 3.11 Doc/library/functools.rst, typing.rst and abc.rst.
#include <algorithm>

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

using FunctionRef = std::shared_ptr<const Function>;

constexpr std::string_view caching = "functools.lru_cache()", wrapping = "functools.wraps()";

Value same_function(const KnownCall& call) {
  const auto* given = call.argument(0);
  const bool is_function = given != nullptr && given->get<FunctionRef>() != nullptr;
  return is_function ? *given : call.python.escapes.opaque_call(call.arguments);
}

Value partial_of(Heap& heap, Value function, std::vector<Value> arguments, Dict keywords) {
  auto made = heap.make<Object>();
  made->name = partial_object;
  made->is_class = false;
  heap.keep(Heap::size_of(arguments));
  made->names.emplace("func", std::move(function));
  made->names.emplace("args", heap.list(std::move(arguments)));
  made->names.emplace("keywords", std::move(keywords));
  return made;
}

/// A function with its first arguments, and keywords. Source: CPython 3.11 Lib/functools.py, partial.
Value make_partial(const KnownCall& call) {
  const auto* function = call.argument(0);
  const bool plain = function != nullptr && call.arguments[0].keyword.empty() &&
                     std::none_of(call.arguments.begin(), call.arguments.end(),
                                  [](const Argument& one) { return one.keyword == "*"; });
  if (!plain || function->unknown()) return call.python.escapes.opaque_call(call.arguments);
  auto& heap = call.python.heap;
  std::vector<Value> positional;
  const auto keywords = heap.dict();
  for (std::size_t i = 1; i < call.arguments.size(); ++i)
    if (call.arguments[i].keyword.empty())
      positional.push_back(call.arguments[i].value);
    else
      put_keyword(heap, *keywords.items, call.arguments[i], false);
  return partial_of(heap, *function, std::move(positional), keywords);
}

/// It is run once for equal arguments.
Value cached(const KnownCall& call) {
  const auto* given = call.argument(0);
  const auto* function = given == nullptr ? nullptr : given->get<FunctionRef>();
  if (function == nullptr) return call.python.escapes.opaque_call(call.arguments);
  auto& heap = call.python.heap;
  auto copy = heap.make<Function>(**function);
  copy->results = heap.make<ListItems>();
  return FunctionRef(std::move(copy));
}

/// With a function it is the decorator, without one it makes it.
Value lru_cache(const KnownCall& call) {
  const auto* given = call.argument(0);
  return given != nullptr && given->get<FunctionRef>() != nullptr ? cached(call) : Named{std::string(caching)};
}

/// Its first value stays: what loads a library there does it once.
Value cached_property(const KnownCall& call) {
  auto value = cached(call);
  const auto* function = value.get<FunctionRef>();
  if (function == nullptr) return value;
  auto copy = call.python.heap.make<Function>(**function);
  copy->binding = Function::Binding::property;
  return FunctionRef(std::move(copy));
}

Value wraps(const KnownCall&) { return Named{std::string(wrapping)}; }

constexpr KnownFunction decorator_rows[] = {{"functools.lru_cache", lru_cache},
                                            {"functools.cache", cached},
                                            {std::string_view(partial_object), make_partial},
                                            {caching, cached},
                                            {"functools.wraps", wraps},
                                            {wrapping, same_function},
                                            {"functools.cached_property", cached_property},
                                            {"functools.update_wrapper", same_function},
                                            {"abc.abstractmethod", same_function},
                                            {"typing.final", same_function},
                                            {"typing.no_type_check", same_function},
                                            {"typing.override", same_function}};

}  // namespace

Value partial(Heap& heap, std::string function, const std::string& argument) {
  return partial_of(heap, Named{std::move(function)}, {argument}, heap.dict());
}

std::span<const KnownFunction> known_decorators() { return decorator_rows; }

}  // namespace cudald::python

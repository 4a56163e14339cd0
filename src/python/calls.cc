#include <algorithm>

#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr int max_call_depth = 25;

/// Whether a function's own body has `yield`: calling it only makes a generator.
bool has_yield(const Source& source, std::span<const Statement> body) {
  for (const auto& statement : body) {
    for (const auto& token : statement.head)
      if (token.kind == TokenKind::name && source.text(token) == "yield") return true;
    if (statement.kind != StatementKind::function && statement.kind != StatementKind::class_ &&
        has_yield(source, statement.body))
      return true;
  }
  return false;
}

/// Whether a body has something that asks for a module or a library itself.
bool may_load(const Source& source, std::span<const Statement> body) {
  constexpr std::string_view words[] = {"import_module", "__import__", "CDLL", "PyDLL", "LoadLibrary"};
  for (const auto& statement : body) {
    if (statement.kind == StatementKind::import_names || statement.kind == StatementKind::from_import) return true;
    for (const auto& token : statement.head)
      if (token.kind == TokenKind::name && std::find(std::begin(words), std::end(words), source.text(token)) != std::end(words))
        return true;
    if (may_load(source, statement.body)) return true;
  }
  return false;
}

struct Parameter {
  std::string_view name;
  std::span<const Token> default_value;
  int stars = 0;
  bool keyword_only = false;
};

std::vector<Parameter> parameters(const Source& source, std::span<const Token> head) {
  std::vector<Parameter> result;
  if (head.size() < 2) return result;
  std::size_t i = 1;
  if (source.text(head[i]) == "[")  // type parameters since 3.12
    while (i < head.size() && source.text(head[i]) != "]") ++i;
  while (i < head.size() && source.text(head[i]) != "(") ++i;
  bool keyword_only = false;
  for (++i; i < head.size();) {
    Parameter parameter;
    while (i < head.size() && (source.text(head[i]) == "*" || source.text(head[i]) == "**"))
      parameter.stars += static_cast<int>(source.text(head[i++]).size());
    if (i < head.size() && head[i].kind == TokenKind::name) parameter.name = source.text(head[i]);
    int depth = 0;
    std::size_t value = 0;
    for (; i < head.size(); ++i) {
      const auto token = head[i].kind == TokenKind::symbol ? source.text(head[i]) : std::string_view();
      if (token == "(" || token == "[" || token == "{") ++depth;
      if (token == ")" || token == "]" || token == "}") --depth;
      if (depth < 0 || (depth == 0 && token == ",")) break;
      if (depth == 0 && token == "=" && value == 0) value = i + 1;
    }
    if (value > 0) parameter.default_value = head.subspan(value, i - value);
    if (parameter.stars == 1) keyword_only = true;
    parameter.keyword_only = keyword_only;
    if (!parameter.name.empty()) result.push_back(parameter);
    const bool ends = i >= head.size() || source.text(head[i]) != ",";
    ++i;
    if (ends) break;
  }
  return result;
}

}  // namespace

Value Interpreter::call(Frame& frame, const Value& callee, const Arguments& arguments) {
  if (const auto* function = callee.get<std::shared_ptr<const Function>>())
    return call_function(frame, **function, arguments, nullptr);
  if (const auto* method = callee.get<Method>()) {
    const Value self = method->self;
    return call_function(frame, *method->function, arguments, &self);
  }
  if (const auto* object = callee.get<ObjectRef>()) {
    if ((*object)->is_class) return call_class(frame, *object, arguments);
    const auto called = member(**object, "__call__");
    const auto* function = called ? called->get<std::shared_ptr<const Function>>() : nullptr;
    return function != nullptr ? call_function(frame, **function, arguments, &callee) : Value(Unknown{});
  }
  if (const auto* named = callee.get<Named>()) {
    const auto name = named->name;
    if (const auto rule = rules_.calls.find(name); rule != rules_.calls.end() && follows(frame)) {
      run_rule(frame, rule->second, arguments);
      return Unknown{};
    }
    if (auto value = call_known(frame, name, arguments)) return *value;
  }
  return Unknown{};
}

Value Interpreter::call_class(Frame& frame, const ObjectRef& type, const Arguments& arguments) {
  if (auto value = call_known(frame, type->name, arguments)) return *value;
  auto instance = std::make_shared<Object>();
  instance->name = type->name;
  instance->is_class = false;
  instance->bases = {type};
  const auto init = member(*type, "__init__");
  const auto* function = init ? init->get<std::shared_ptr<const Function>>() : nullptr;
  const Value self = instance;
  if (function != nullptr) call_function(frame, **function, arguments, &self);
  return instance;
}

Value Interpreter::call_function(Frame& caller, const Function& function, const Arguments& arguments, const Value* self) {
  const auto qualified = function.module + "." + function.name;
  if (const auto rule = rules_.calls.find(qualified); rule != rules_.calls.end()) {
    if (follows(caller)) run_rule(caller, rule->second, arguments);
    return Unknown{};
  }
  if (auto value = call_known(caller, qualified, arguments)) return *value;
  auto* module = find_loaded(function.module);
  if (module == nullptr || call_depth_ >= max_call_depth || function.statement->asynchronous) return Unknown{};
  const auto& statement = *function.statement;
  const auto& source = *function.source;
  if (finder_.in_standard_library(source.path) && !may_load(source, statement.body)) return Unknown{};
  if (has_yield(source, statement.body)) return Unknown{};

  Frame frame;
  frame.module = module;
  frame.source = function.source;
  frame.scope = std::make_shared<Scope>();
  frame.scope->outer = function.scope;
  frame.in_function = true;
  frame.maybe = caller.maybe;
  frame.line = statement.line;
  std::size_t next = 0;
  bool more = false;  // `*args` that are not known
  for (const auto& argument : arguments) more = more || argument.keyword == "*";
  std::vector<const Value*> positional;
  if (self != nullptr) positional.push_back(self);
  for (const auto& argument : arguments)
    if (argument.keyword.empty()) positional.push_back(&argument.value);
  for (const auto& parameter : parameters(source, statement.head)) {
    Value value = Unknown{};
    const auto keyword = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Argument& argument) { return argument.keyword == parameter.name; });
    if (parameter.stars == 1) {
      std::vector<Value> rest;
      for (; next < positional.size(); ++next) rest.push_back(*positional[next]);
      if (!more) value = make_list(std::move(rest));
    } else if (parameter.stars == 0) {
      if (keyword != arguments.end()) value = keyword->value;
      else if (!parameter.keyword_only && next < positional.size()) value = *positional[next++];
      else if (!more && !parameter.default_value.empty()) {
        Frame definition;
        definition.module = module;
        definition.source = function.source;
        definition.scope = function.scope;
        definition.in_function = true;
        definition.maybe = true;
        value = evaluate(*this, definition, parameter.default_value);
      }
    }
    frame.scope->names.insert_or_assign(std::string(parameter.name), std::move(value));
  }

  if (call_depth_ == 0) call_steps_ = 0;
  ++call_depth_;
  try {
    run(frame, statement.body);
  } catch (const StepLimit&) {
    if (--call_depth_ > 0) throw;
    return Unknown{};
  } catch (...) {
    --call_depth_;
    throw;
  }
  --call_depth_;
  return frame.result;
}

}  // namespace cudald::python

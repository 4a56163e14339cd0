#include <algorithm>
#include <functional>

#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr int max_call_depth = 25;

/// Whether `yield` stands in these statements, but for those of functions and classes in them.
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

constexpr std::string_view loading_words[] = {"import_module", "__import__",  "CDLL",           "WinDLL",
                                              "PyDLL",         "LoadLibrary", "LoadLibraryExW", "add_dll_directory"};

}  // namespace

/// Whether a function, or one of its own module that it names, asks for a module or a library. Most functions of the
/// standard library do not, and are not followed.
bool Interpreter::may_load(const Module& module, const Source& source, const Statement& function, int depth) {
  const auto [known, is_new] = may_load_.try_emplace(&function, false);
  if (!is_new || depth > 3) return known->second;
  const std::function<bool(std::span<const Statement>)> search = [&](std::span<const Statement> body) {
    for (const auto& statement : body) {
      if (statement.kind == StatementKind::import_names || statement.kind == StatementKind::from_import) return true;
      for (const auto& token : statement.head) {
        if (token.kind != TokenKind::name) continue;
        const auto word = source.text(token);
        if (std::find(std::begin(loading_words), std::end(loading_words), word) != std::end(loading_words)) return true;
        const auto at = module.names.find(word);
        const auto* named = at == module.names.end() ? nullptr : at->second.get<std::shared_ptr<const Function>>();
        if (named != nullptr && (*named)->module == module.name &&
            may_load(module, source, *(*named)->statement, depth + 1))
          return true;
      }
      if (search(statement.body)) return true;
    }
    return false;
  };
  return may_load_[&function] = search(function.body);
}

/// Whether calling the function only makes a generator.
bool Interpreter::makes_generator(const Source& source, const Statement& function) {
  const auto [known, is_new] = makes_generator_.try_emplace(&function, false);
  if (is_new) known->second = has_yield(source, function.body);
  return known->second;
}

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
      return run_rule(frame, rule->second, arguments);
    }
    if (auto value = call_known(frame, name, arguments)) return *value;
  }
  return Unknown{};
}

Value Interpreter::call_class(Frame& frame, const ObjectRef& type, const Arguments& arguments) {
  if (auto value = call_known(frame, type->name, arguments)) return *value;
  auto instance = heap_.make<Object>();
  instance->name = type->name;
  instance->is_class = false;
  instance->bases = {type};
  const auto init = member(*type, "__init__");
  const auto* function = init ? init->get<std::shared_ptr<const Function>>() : nullptr;
  const Value self = instance;
  if (function != nullptr) call_function(frame, **function, arguments, &self);
  return instance;
}

Value Interpreter::call_function(Frame& caller, const Function& function, const Arguments& arguments,
                                 const Value* self) {
  const auto qualified = function.module + "." + function.name;
  if (const auto rule = rules_.calls.find(qualified); rule != rules_.calls.end()) {
    return follows(caller) ? run_rule(caller, rule->second, arguments) : Value(Unknown{});
  }
  if (auto value = call_known(caller, qualified, arguments)) return *value;
  auto* module = find_loaded(function.module);
  if (module == nullptr || call_depth_ >= max_call_depth || function.statement->asynchronous) return Unknown{};
  if (too_long_.contains(function.statement)) return Unknown{};
  const auto& statement = *function.statement;
  const auto& source = *function.source;
  if (makes_generator(source, statement)) return Unknown{};
  if (finder_.in_standard_library(source.path) && !may_load(*module, source, statement, 0)) return Unknown{};

  Frame frame;
  frame.module = module;
  frame.source = function.source;
  frame.scope = heap_.make<Scope>();
  frame.scope->outer = function.scope;
  frame.in_function = true;
  frame.maybe = caller.maybe;
  frame.line = statement.line;
  heap_.work((1 + arguments.size()) * (1 + function.parameters.size()));
  std::size_t next = 0;
  bool more = false;  // `*args` that are not known
  for (const auto& argument : arguments) more = more || argument.keyword == "*";
  std::vector<const Value*> positional;
  if (self != nullptr) positional.push_back(self);
  for (const auto& argument : arguments)
    if (argument.keyword.empty()) positional.push_back(&argument.value);
  for (const auto& parameter : function.parameters) {
    Value value = Unknown{};
    const auto keyword = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Argument& argument) { return argument.keyword == parameter.name; });
    if (parameter.stars == 1) {
      std::vector<Value> rest;
      for (; next < positional.size(); ++next) rest.push_back(*positional[next]);
      if (!more) value = heap_.list(std::move(rest));
    } else if (parameter.stars == 0) {
      if (keyword != arguments.end())
        value = keyword->value;
      else if (!parameter.keyword_only && next < positional.size())
        value = *positional[next++];
      else if (!more && parameter.has_default)
        value = parameter.default_value;
    }
    heap_.keep(value);
    frame.scope->names.insert_or_assign(parameter.name, std::move(value));
  }

  if (call_depth_ == 0) call_steps_ = 0;
  ++call_depth_;
  try {
    run(frame, statement.body);
  } catch (const StepLimit&) {
    too_long_.insert(function.statement);
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

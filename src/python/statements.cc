#include <algorithm>

#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_loop = 300;
constexpr std::uint64_t work_of_name = 16;  ///< to copy one

std::string_view text(const Frame& frame, std::span<const Token> tokens, std::size_t i) {
  return i < tokens.size() ? frame.source->text(tokens[i]) : std::string_view();
}

bool opens(std::string_view token) { return token == "(" || token == "[" || token == "{"; }
bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

/// The index of a word or symbol outside of brackets, or the number of tokens.
std::size_t find_outside(const Frame& frame, std::span<const Token> tokens, std::string_view wanted,
                         std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::string) continue;
    const auto token = frame.source->text(tokens[i]);
    if (depth == 0 && token == wanted) return i;
    if (opens(token)) ++depth;
    if (closes(token)) --depth;
  }
  return tokens.size();
}

std::vector<std::span<const Token>> split_outside(const Frame& frame, std::span<const Token> tokens,
                                                  std::string_view separator) {
  std::vector<std::span<const Token>> parts;
  for (;;) {
    const auto end = find_outside(frame, tokens, separator);
    parts.push_back(tokens.first(end));
    if (end == tokens.size()) return parts;
    tokens = tokens.subspan(end + 1);
  }
}

/// Dots and names from `i` on: "a.b.c".
std::string dotted_name(const Frame& frame, std::span<const Token> tokens, std::size_t& i) {
  std::string name;
  while (i < tokens.size() && tokens[i].kind == TokenKind::name) {
    name += text(frame, tokens, i++);
    if (text(frame, tokens, i) != ".") break;
    name += '.';
    ++i;
  }
  return name;
}

/// Source: CPython 3.11 Doc/library/exceptions.rst, hierarchy.
bool is_kind_of(std::string_view kind, std::string_view handled) {
  if (const auto dot = handled.rfind('.'); dot != std::string_view::npos) handled.remove_prefix(dot + 1);
  if (handled == kind || handled == "Exception" || handled == "BaseException") return true;
  if (handled == "ImportError") return kind == "ModuleNotFoundError";
  if (handled == "LookupError") return kind == "KeyError" || kind == "IndexError";
  if (handled == "EnvironmentError" || handled == "IOError") return kind == "OSError";
  if (handled == "OSError") return kind == "FileNotFoundError";
  if (handled == "RuntimeError") return kind == "NotImplementedError" || kind == "RecursionError";
  if (handled == "Warning") return kind.ends_with("Warning");
  return false;
}

void add_globals(Frame& frame, std::span<const Token> head) {
  if (frame.globals == nullptr) frame.globals = std::make_shared<std::set<std::string, std::less<>>>();
  for (const auto& token : head)
    if (token.kind == TokenKind::name) frame.globals->emplace(frame.source->text(token));
}

/// The exceptions that a clause names; an empty list catches all.
std::vector<std::string> handled_kinds(const Frame& frame, std::span<const Token> head) {
  head = head.first(find_outside(frame, head, "as"));
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < head.size(); ++i)
    if (head[i].kind == TokenKind::name) kinds.push_back(dotted_name(frame, head, i));
  return kinds;
}

}  // namespace

bool catches(const std::vector<std::string>& kinds, std::string_view kind) {
  return kinds.empty() ||
         std::any_of(kinds.begin(), kinds.end(), [&](const auto& one) { return is_kind_of(kind, one); });
}

bool Interpreter::caught(std::string_view kind) const {
  return std::any_of(handlers_.begin(), handlers_.end(), [&](const auto& kinds) { return catches(kinds, kind); });
}

Interpreter::Flow Interpreter::run(Frame& frame, std::span<const Statement> statements) {
  const Budget::Descent deeper(cost_);
  if (!deeper) {
    note_depth(frame);
    return Flow::next;
  }
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto& statement = statements[i];
    count_steps(1);
    heap_.work(statement.head.size());
    frame.line = statement.line;
    if (!frame.in_function) frame.module->line = std::max(frame.module->line, statement.line);
    auto flow = Flow::next;
    switch (statement.kind) {
      case StatementKind::simple: run_simple(frame, statement); break;
      case StatementKind::import_names: run_import_names(frame, statement); break;
      case StatementKind::from_import: run_from_import(frame, statement); break;
      case StatementKind::if_: flow = run_if(frame, statements, i); break;
      case StatementKind::try_: flow = run_try(frame, statements, i); break;
      case StatementKind::for_: flow = run_for(frame, statement); break;
      case StatementKind::with_: flow = run_with(frame, statement); break;
      case StatementKind::while_:
        if (truth(evaluate(*this, frame, statement.head)) != false) flow = run_maybe(frame, statement.body);
        break;
      case StatementKind::match: flow = run_maybe(frame, statement.body); break;
      case StatementKind::case_: flow = run_maybe(frame, statement.body); break;
      case StatementKind::decorator:
      case StatementKind::class_:
      case StatementKind::function: run_definition(frame, statements, i); break;
      case StatementKind::return_:
        frame.result = statement.head.empty() ? Value(None{}) : evaluate(*this, frame, statement.head);
        return Flow::returned;
      case StatementKind::raise_:
        run_raise(frame, statement);
        if (frame.in_function) {
          frame.result = Unknown{};
          return Flow::returned;
        }
        break;
      case StatementKind::break_: return Flow::broken;
      case StatementKind::continue_: return Flow::continued;
      case StatementKind::global:
        heap_.work(work_of_name * statement.head.size());
        add_globals(frame, statement.head);
        break;
      case StatementKind::delete_:
        if (statement.head.size() == 1 && !frame.maybe && !frame.in_function && frame.class_names == nullptr)
          frame.module->names.erase(std::string(text(frame, statement.head, 0)));
        break;
      case StatementKind::elif_:
      case StatementKind::else_:  // after a loop: it runs unless the loop was broken
      case StatementKind::finally_: flow = run(frame, statement.body); break;
      case StatementKind::except_:
      case StatementKind::cimport:  // see import_for_extension
      case StatementKind::pass_: break;
    }
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

/// A block behind a condition that cannot be known. What it raises or returns may as well not happen.
Interpreter::Flow Interpreter::run_maybe(Frame& frame, std::span<const Statement> statements) {
  const bool before = std::exchange(frame.maybe, true);
  const auto result = frame.result;
  const Handler handler(*this, {});
  auto flow = Flow::next;
  try {
    flow = run(frame, statements);
  } catch (const PythonError&) {
  } catch (...) {
    frame.maybe = before;
    throw;
  }
  frame.maybe = before;
  if (flow == Flow::returned) {
    // Whether the function went on is not known, so nothing behind this is sure, its value neither.
    frame.result = Unknown{};
    if (frame.in_function) frame.maybe = true;
  } else {
    frame.result = result;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::run_if(Frame& frame, std::span<const Statement> statements, std::size_t& i) {
  auto last = i;
  while (last + 1 < statements.size() &&
         (statements[last + 1].kind == StatementKind::elif_ || statements[last + 1].kind == StatementKind::else_))
    ++last;
  const auto clauses = statements.subspan(i, last + 1 - i);
  i = last;
  bool sure = true;  // no clause before this one may have been taken
  for (const auto& clause : clauses) {
    frame.line = clause.line;
    std::optional<bool> holds = true;
    if (clause.kind != StatementKind::else_) holds = truth(evaluate(*this, frame, clause.head));
    if (holds == false) continue;
    if (holds == true && sure) return run(frame, clause.body);
    run_maybe(frame, clause.body);
    if (holds == true) break;
    sure = false;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::run_try(Frame& frame, std::span<const Statement> statements, std::size_t& i) {
  const auto first = i;
  auto last = i;
  std::vector<std::string> handled;
  bool handles_all = false;
  while (last + 1 < statements.size() &&
         (statements[last + 1].kind == StatementKind::except_ || statements[last + 1].kind == StatementKind::else_ ||
          statements[last + 1].kind == StatementKind::finally_)) {
    const auto& clause = statements[++last];
    if (clause.kind != StatementKind::except_) continue;
    heap_.work(work_of_name * clause.head.size());
    const auto kinds = handled_kinds(frame, clause.head);
    handles_all = handles_all || kinds.empty();
    handled.insert(handled.end(), kinds.begin(), kinds.end());
  }
  i = last;
  const auto clauses = statements.subspan(first + 1, last - first);

  const auto run_finally = [&](Flow flow) {
    for (const auto& clause : clauses)
      if (clause.kind == StatementKind::finally_)
        if (const auto left = run(frame, clause.body); left != Flow::next) return left;
    return flow;
  };
  auto flow = Flow::next;
  std::optional<PythonError> raised;
  if (handles_all)
    handled.clear();
  else if (handled.empty())
    handled.push_back("no exception at all");  // only `finally`
  try {
    const Handler handler(*this, handled);
    flow = run(frame, statements[first].body);
  } catch (const PythonError& error) {
    raised = error;
  }
  if (!raised) {
    if (flow == Flow::next)
      for (const auto& clause : clauses)
        if (clause.kind == StatementKind::else_) flow = run(frame, clause.body);
    return run_finally(flow);
  }
  for (const auto& clause : clauses) {
    heap_.work(work_of_name * clause.head.size());
    if (clause.kind != StatementKind::except_ || !catches(handled_kinds(frame, clause.head), raised->kind)) continue;
    if (const auto as = find_outside(frame, clause.head, "as"); as + 1 < clause.head.size())
      assign(frame, text(frame, clause.head, as + 1), Named{"exception"});
    handled_.push_back({*raised, call_depth_});
    try {
      flow = run(frame, clause.body);
    } catch (PythonError& error) {
      // Either would have been enough: the load that failed, or the way around it.
      for (const auto cause : raised->causes)
        if (std::find(error.causes.begin(), error.causes.end(), cause) == error.causes.end())
          error.causes.push_back(cause);
      handled_.pop_back();
      run_finally(Flow::next);
      throw;
    } catch (...) {
      handled_.pop_back();
      run_finally(Flow::next);
      throw;
    }
    handled_.pop_back();
    return run_finally(flow);
  }
  run_finally(Flow::next);
  throw *raised;
}

Interpreter::Flow Interpreter::run_for(Frame& frame, const Statement& statement) {
  const auto in = find_outside(frame, statement.head, "in");
  if (in == statement.head.size()) return Flow::next;
  const auto target = statement.head.first(in);
  const auto iterable = evaluate(*this, frame, statement.head.subspan(in + 1));
  const auto* list = iterable.get<List>();
  if (list == nullptr || list->items->size() > max_loop) {
    assign_target(frame, target, Unknown{});
    return run_maybe(frame, statement.body);
  }
  const auto items = heap_.copy(*list);  // the loop may change the list
  for (const auto& item : items) {
    count_steps(1);
    assign_target(frame, target, item);
    const auto flow = run(frame, statement.body);
    if (flow == Flow::broken) break;
    if (flow == Flow::returned) return flow;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::run_with(Frame& frame, const Statement& statement) {
  bool suppresses = false;
  std::vector<std::string> kinds;
  auto head = statement.head;
  if (text(frame, head, 0) == "(" && find_outside(frame, head, "as") == head.size() &&
      text(frame, head, head.size() - 1) == ")")
    head = head.subspan(1, head.size() - 2);
  for (const auto item : split_outside(frame, head, ",")) {
    const auto as = find_outside(frame, item, "as");
    std::size_t at = 0;
    const auto name = dotted_name(frame, item, at);
    if (name == "suppress" || name.ends_with(".suppress")) {
      suppresses = true;
      const auto named = handled_kinds(frame, item.subspan(at, as - at));
      kinds.insert(kinds.end(), named.begin(), named.end());
    }
    const auto value = evaluate(*this, frame, item.first(as));
    const auto* named = value.get<Named>();
    const bool file = named != nullptr && named->name.starts_with(text_file);  // it is its own context
    if (as + 1 < item.size()) assign_target(frame, item.subspan(as + 1), file ? value : Value(Unknown{}));
  }
  if (!suppresses) return run(frame, statement.body);
  try {
    const Handler handler(*this, kinds);
    return run(frame, statement.body);
  } catch (const PythonError& error) {
    if (!catches(kinds, error.kind)) throw;
  }
  return Flow::next;
}

void Interpreter::run_import_names(Frame& frame, const Statement& statement) {
  if (!follows(frame)) return;
  for (const auto part : split_outside(frame, statement.head, ",")) {
    std::size_t i = 0;
    const auto name = dotted_name(frame, part, i);
    if (name.empty()) continue;
    const auto& module = import_module(name, &frame);
    if (text(frame, part, i) == "as")
      assign(frame, text(frame, part, i + 1), ModuleName{module.name});
    else
      assign(frame, name.substr(0, name.find('.')), ModuleName{name.substr(0, name.find('.'))});
  }
}

void Interpreter::run_from_import(Frame& frame, const Statement& statement) {
  if (!follows(frame)) return;
  const auto head = statement.head;
  std::size_t i = 0, dots = 0;
  for (; i < head.size() && (text(frame, head, i) == "." || text(frame, head, i) == "..."); ++i)
    dots += text(frame, head, i).size();
  const bool only_dots = text(frame, head, i) == "import";
  const auto written = only_dots ? std::string() : dotted_name(frame, head, i);
  const auto word = text(frame, head, i);
  if (word != "import") return;
  if (written == "__future__") {
    for (const auto& token : head)
      frame.module->lazy_annotations |= text(frame, std::span(&token, 1), 0) == "annotations";
    return;
  }
  const auto name = absolute_name(*frame.module, dots, written);
  if (name.empty()) throw PythonError{"ImportError", "attempted relative import beyond top-level package"};
  auto& module = import_module(name, &frame);
  if (text(frame, head, i + 1) == "*") return import_star(frame, module);

  for (++i; i < head.size(); ++i) {
    if (head[i].kind != TokenKind::name) continue;
    const std::string wanted(text(frame, head, i));
    std::string bound = wanted;
    if (text(frame, head, i + 1) == "as") bound = text(frame, head, i += 2);
    auto value = module_attribute(frame, module, wanted);
    // importlib's _handle_fromlist: a name that the package lacks may be a submodule.
    if ((!value || value->unknown() || module.opaque) && module.package && !module.names.contains(wanted) &&
        finder_.find(wanted, module.search, false).kind != ModulePlace::Kind::absent)
      value = ModuleName{import_module(module.name + "." + wanted, &frame).name};
    // Of another module that is not complete yet, names may have been bound that were not followed; not of this one.
    if (!value && (module.complete || &module == frame.module) && caught("ImportError"))
      throw PythonError{"ImportError", "cannot import name '" + wanted + "' from '" + module.name + "'"};
    assign(frame, bound, value ? *value : Value(Unknown{}));
  }
}

void Interpreter::import_star(Frame& frame, Module& module) {
  const bool at_module_level = frame.scope == nullptr && frame.class_names == nullptr;
  if ((module.opaque || !module.names_known() || !module.complete) && at_module_level) frame.module->names_lost = true;
  const auto all = module.names.find("__all__");
  if (all != module.names.end() && all->second.get<List>() != nullptr) {
    const auto items = heap_.copy(*all->second.get<List>());
    for (const auto& item : items) {
      const auto* name = item.get<std::string>();
      if (name == nullptr) continue;
      auto value = module_attribute(frame, module, *name);
      if (!value && module.package && finder_.find(*name, module.search, false).kind != ModulePlace::Kind::absent)
        value = ModuleName{import_module(module.name + "." + *name, &frame).name};
      assign(frame, *name, value ? *value : Value(Unknown{}));
    }
    return;
  }
  heap_.work(4 * module.names.size());
  const auto names = module.names;
  for (const auto& [name, value] : names)
    if (!name.starts_with('_')) assign(frame, name, value);
}

void Interpreter::run_simple(Frame& frame, const Statement& statement) {
  const auto head = statement.head;
  if (head.empty()) return;
  if (head.size() == 1 && head[0].kind == TokenKind::string) return;  // a docstring
  if (text(frame, head, 0) == "include" && head.size() == 2) return;
  if (text(frame, head, 0) == "assert") return;
  // x: T = value
  if (const auto colon = find_outside(frame, head, ":"); colon < head.size() && text(frame, head, 0) != "lambda") {
    const auto equals = find_outside(frame, head, "=", colon);
    if (find_outside(frame, head, "=") > colon && find_outside(frame, head, "lambda") > colon) {
      if (!frame.module->lazy_annotations && !frame.in_function)
        evaluate(*this, frame, head.subspan(colon + 1, equals - colon - 1));
      if (equals < head.size())
        assign_target(frame, head.first(colon), evaluate(*this, frame, head.subspan(equals + 1)));
      return;
    }
  }
  if (find_outside(frame, head, "=") < head.size()) {
    const auto lambda = find_outside(frame, head, "lambda");
    auto parts = split_outside(frame, head, "=");
    if (lambda < head.size()) {  // a default value's sign is not an assignment
      parts.clear();
      auto rest = head;
      for (auto end = find_outside(frame, rest, "="); end < rest.size() && find_outside(frame, rest, "lambda") > end;
           end = find_outside(frame, rest, "=")) {
        parts.push_back(rest.first(end));
        rest = rest.subspan(end + 1);
      }
      parts.push_back(rest);
    }
    const auto value = evaluate(*this, frame, parts.back());
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) assign_target(frame, parts[i], value);
    return;
  }
  for (const auto sign : {"+=", "-=", "*=", "/=", "|=", "&=", "%=", "//=", "**=", ">>=", "<<=", "^=", "@="}) {
    const auto at = find_outside(frame, head, sign);
    if (at == head.size()) continue;
    const auto value = evaluate(*this, frame, head.subspan(at + 1));
    const auto old = evaluate(*this, frame, head.first(at));
    const auto *list = old.get<List>(), *more = value.get<List>();
    const auto *words = old.get<std::string>(), *suffix = value.get<std::string>();
    const bool adds = std::string_view(sign) == "+=" && !frame.maybe;
    if (adds && list != nullptr && more != nullptr && list->items->size() + more->items->size() < max_length) {
      auto items = heap_.copy(*list);
      items.insert(items.end(), more->items->begin(), more->items->end());
      assign_target(frame, head.first(at), heap_.list(std::move(items)));
    } else if (adds && words != nullptr && suffix != nullptr && words->size() + suffix->size() < max_length) {
      assign_target(frame, head.first(at), *words + *suffix);
    } else {
      assign_target(frame, head.first(at), Unknown{});
    }
    return;
  }
  evaluate(*this, frame, head);
}

/// Decorators with the function or class they stand before. A decorator whose result is not known leaves it as it is.
void Interpreter::run_definition(Frame& frame, std::span<const Statement> statements, std::size_t& i) {
  std::vector<Value> decorators;
  for (; i < statements.size() && statements[i].kind == StatementKind::decorator; ++i) {
    frame.line = statements[i].line;
    decorators.push_back(evaluate(*this, frame, statements[i].head));
  }
  if (i == statements.size()) return;
  const auto& statement = statements[i];
  if (statement.head.empty() || statement.head[0].kind != TokenKind::name) return;
  const std::string name(text(frame, statement.head, 0));
  Value value;
  if (statement.kind == StatementKind::class_)
    value = define_class(frame, statement, name);
  else if (statement.kind == StatementKind::function)
    value = define_function(frame, statement, name);
  else
    return;
  for (auto decorator = decorators.rbegin(); decorator != decorators.rend(); ++decorator) {
    auto decorated = call(frame, *decorator, {{"", value}});
    if (!decorated.unknown() && decorated.get<None>() == nullptr) value = std::move(decorated);
  }
  assign(frame, name, std::move(value));
}

Value Interpreter::define_class(Frame& frame, const Statement& statement, std::string_view name) {
  auto object = heap_.make<Object>();
  object->name = frame.module->name + "." + frame.qualifier + std::string(name);
  if (statement.head.size() > 3 && text(frame, statement.head, 1) == "(")
    for (const auto base : split_outside(frame, statement.head.subspan(2, statement.head.size() - 3), ","))
      if (find_outside(frame, base, "=") == base.size()) object->bases.push_back(evaluate(*this, frame, base));
  Frame inner;
  inner.module = frame.module;
  inner.source = frame.source;
  inner.scope = frame.scope;
  inner.class_names = &object->names;
  inner.qualifier = frame.qualifier + std::string(name) + ".";
  inner.in_function = frame.in_function;
  inner.maybe = frame.maybe;
  run(inner, statement.body);
  return object;
}

Value Interpreter::define_function(Frame& frame, const Statement& statement, const std::string& name) {
  auto function = heap_.make<Function>();
  function->source = frame.source;
  function->statement = &statement;
  function->module = frame.module->name;
  function->name = frame.qualifier + name;
  function->scope = frame.scope;
  function->parameters = define_parameters(frame, statement.head);
  return std::shared_ptr<const Function>(std::move(function));
}

/// Default values and annotations are evaluated when the function is defined.
std::vector<Parameter> Interpreter::define_parameters(Frame& frame, std::span<const Token> head) {
  std::vector<Parameter> parameters;
  const auto open = find_outside(frame, head, "(");
  if (open == head.size()) return parameters;
  auto close = open;
  for (int depth = 0; close < head.size(); ++close) {
    if (head[close].kind != TokenKind::symbol) continue;
    if (opens(text(frame, head, close))) ++depth;
    if (closes(text(frame, head, close)) && --depth == 0) break;
  }
  const bool annotations = !frame.module->lazy_annotations && !frame.in_function;
  bool keyword_only = false;
  if (close > open + 1) {
    for (auto part : split_outside(frame, head.subspan(open + 1, close - open - 1), ",")) {
      Parameter parameter;
      while (text(frame, part, 0) == "*" || text(frame, part, 0) == "**") {
        parameter.stars += static_cast<int>(text(frame, part, 0).size());
        part = part.subspan(1);
      }
      keyword_only = keyword_only || parameter.stars == 1;
      parameter.keyword_only = keyword_only;
      if (part.empty() || part[0].kind != TokenKind::name) continue;
      parameter.name = text(frame, part, 0);
      const auto equals = find_outside(frame, part, "=");
      if (annotations && text(frame, part, 1) == ":" && equals > 2) evaluate(*this, frame, part.subspan(2, equals - 2));
      if (equals + 1 < part.size()) {
        parameter.has_default = true;
        parameter.default_value = evaluate(*this, frame, part.subspan(equals + 1));
      }
      parameters.push_back(std::move(parameter));
    }
  }
  if (annotations && text(frame, head, close + 1) == "->") evaluate(*this, frame, head.subspan(close + 2));
  return parameters;
}

/// What Windows said of a load, made an exception by ctypes.WinError.
std::optional<PythonError> Interpreter::raised_system_error(Frame& frame, const Statement& statement) {
  const auto head = statement.head.first(find_outside(frame, statement.head, "from"));
  const bool made_here = std::any_of(head.begin(), head.end(),
                                     [&](const Token& token) { return frame.source->text(token) == "WinError"; });
  if (environment_.windows == nullptr || frame.maybe || !(made_here || head.size() == 1)) return std::nullopt;
  const auto value = evaluate(*this, frame, head);
  const auto* error = value.get<ObjectRef>();
  if (error == nullptr || (*error)->is_class || (*error)->name != "OSError") return std::nullopt;
  const auto code = member(**error, "winerror"), said = member(**error, "strerror");
  const auto* number = code ? code->get<long long>() : nullptr;
  const auto* text = said ? said->get<std::string>() : nullptr;
  return PythonError{
      "OSError", "[WinError " + std::to_string(number == nullptr ? 0 : *number) + "] " + (text == nullptr ? "" : *text),
      "", last_failure_};
}

/// The text that an exception is made with, in what stands behind its name; empty if it is not known.
std::string Interpreter::raised_text(Frame& frame, std::span<const Token> tokens) {
  const auto end = find_outside(frame, tokens, "from");
  if (end < 3 || text(frame, tokens, 0) != "(" || text(frame, tokens, end - 1) != ")") return "";
  const auto arguments = split_outside(frame, tokens.subspan(1, end - 2), ",");
  const auto value = evaluate(*this, frame, arguments.front());
  const auto* said = value.get<std::string>();
  // A long text begins with an empty line, or with a rule drawn above it.
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto letter = said == nullptr ? std::string::npos : said->find_first_of(letters);
  if (letter == std::string::npos) return "";
  const auto before = said->rfind('\n', letter), begin = before == std::string::npos ? 0 : before + 1;
  return said->substr(begin, said->find('\n', letter) - begin);
}

/// An exception that nobody is ready to catch would end the import. More likely the way to it was not followed rightly,
/// so it only ends the function; unless it passes on a failure that was found. One that an unknown condition may have
/// kept from being reached ends the function as well.
void Interpreter::run_raise(Frame& frame, const Statement& statement) {
  if (frame.in_function && frame.maybe) return;
  std::size_t i = 0;
  auto kind = dotted_name(frame, statement.head, i);
  if (const auto dot = kind.rfind('.'); dot != std::string::npos) kind = kind.substr(dot + 1);
  if (!handled_.empty()) {
    const auto bound = kind.empty() ? Value(Named{"exception"}) : look_up(frame, kind);
    const auto* named = bound.get<Named>();
    if (named != nullptr && named->name == "exception") throw handled_.back().error;
  }
  if (const auto error = raised_system_error(frame, statement)) throw *error;
  PythonError error{kind.empty() ? "RuntimeError" : kind, raised_text(frame, statement.head.subspan(i))};
  error.unexplained = true;
  if (error.message.empty()) error.place = frame.source->path + ":" + std::to_string(statement.line);
  const bool passes_on =
      !handled_.empty() && handled_.back().call_depth == call_depth_ && !frame.maybe &&
      (is_kind_of(handled_.back().error.kind, "ImportError") || handled_.back().error.kind == "OSError");
  if (caught(error.kind) || passes_on) throw error;
}

}  // namespace cudald::python

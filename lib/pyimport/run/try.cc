// What a `try` statement does with what its block raises: who catches it, and what of it is in doubt.
// Source: the Python language reference, "The try statement".

#include <algorithm>
#include <array>
#include <iterator>

#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

/// Whether a statement prints or logs a text: print(), logger.warning(), warnings.warn().
bool tells_people(const Node& statement) {
  if (!statement.is(NodeKind::call)) return false;
  constexpr std::array told_by{"print",        "warn",  "warning",   "warn_once",
                               "warning_once", "error", "exception", "critical"};
  const auto callee = dotted_text(statement[0]);
  return std::find(told_by.begin(), told_by.end(), callee.substr(callee.rfind('.') + 1)) != told_by.end();
}

}  // namespace

/// A load that failed, and whose handler says so, is missed by the code itself.
void TryStatements::note_warning(const Node& handler, const PythonError& raised) {
  constexpr std::size_t most = 100;
  if (raised.causes.empty() || python_.tracker.result().warned.size() >= most) return;
  heap_.work(work_of_name * (1 + handler[2].size()));
  bool told = false;
  for (const auto statement : handler[2]) told = told || tells_people(statement);
  if (!told) return;
  python_.tracker.result().warned.insert(python_.tracker.result().warned.end(), raised.causes.begin(),
                                         raised.causes.end());
}

Flow TryStatements::run(Frame& frame, const Node& statement) {
  const auto around = std::exchange(frame.in_try, true);
  const bool kept = std::exchange(frame.keeps_doubt, true), doubtful = frame.doubtful;
  const AtEnd leave([&] {
    frame.in_try = around;
    frame.keeps_doubt = kept;
    if (!kept) frame.doubtful = doubtful;
  });
  for (;;)
    if (const auto flow = try_once(frame, statement)) return *flow;
}

/// What a handler catches, as it is written, or as the value has it whose name is written: a tuple, or an exception of
/// Python's own under another name.
std::vector<std::string> TryStatements::kinds_of(const Frame& frame, const Node& exceptions) const {
  const auto value = exceptions.is(NodeKind::name) ? python_.doubt.known_name(frame, exceptions.text()) : Value();
  const auto* tuple = value.get<List>();
  constexpr std::string_view own = "builtins.";
  if (const auto* named = value.get<Named>(); named != nullptr && named->name.starts_with(own))
    return {named->name.substr(own.size())};
  if (tuple == nullptr) return handled_kinds(exceptions);
  std::vector<std::string> kinds;
  for (const auto& item : *tuple->items) {
    const auto* named = item.get<Named>();
    const auto* type = item.get<ObjectRef>();
    if (named != nullptr && named->name.starts_with(own))
      kinds.push_back(named->name.substr(own.size()));
    else
      kinds.push_back(type != nullptr ? (*type)->name : "an expression");
  }
  if (kinds.empty()) kinds.emplace_back("no exception at all");
  return kinds;
}

/// Whether it is known of all handlers what they catch.
bool TryStatements::knows_handlers(Frame& frame, const Node& statement) {
  for (const auto clause : statement) {
    if (!clause.is(NodeKind::handler)) continue;
    for (const auto& kind : kinds_of(frame, clause[0]))
      if (!is_known_class(frame, kind)) return false;
  }
  return true;
}

/// Whether it names an exception of Python's own, or a class of which all bases are known.
bool TryStatements::is_known_class(Frame& frame, const std::string& name) {
  auto dot = name.find('.');
  if (dot == std::string::npos && is_builtin_exception(name)) return python_.doubt.known_name(frame, name).unknown();
  if (name.ends_with("PackageNotFoundError") || name == "subprocess.CalledProcessError") return true;
  auto value = python_.doubt.known_name(frame, std::string_view(name).substr(0, dot));
  while (dot != std::string::npos) {
    const auto begin = dot + 1;
    dot = name.find('.', begin);
    const auto part = name.substr(begin, dot == std::string::npos ? dot : dot - begin);
    const auto* module = value.get<ModuleName>();
    const auto* loaded = module == nullptr ? nullptr : python_.sys_modules.find_loaded(module->name);
    const auto* held = loaded == nullptr ? nullptr : loaded->names.find(part);
    if (held != nullptr && held != loaded->names.end())
      value = held->second;
    else if (loaded != nullptr && python_.sys_modules.find_loaded(module->name + "." + part) != nullptr)
      value = ModuleName{module->name + "." + part};
    else
      value = Unknown{};
  }
  const auto* type = value.get<ObjectRef>();
  return type != nullptr && (*type)->is_class && is_known_exception(**type);
}

/// Runs the block of a `try` statement that has handlers for these kinds, and says in `flow` how that ended.
std::optional<PythonError> TryStatements::raised_by_block(Frame& frame, const Node& statement,
                                                          std::vector<std::string> handled, Flow& flow) {
  std::optional<PythonError> raised;
  const bool touched = python_.doubt.set_touched(false);
  try {
    const bool unsure = !knows_handlers(frame, statement);
    const auto catcher = python_.doubt.with_unsure_catcher(unsure);
    const Handler handler(python_, std::move(handled));
    flow = python_.statements.run(frame, statement[0]);
  } catch (const PythonError& error) {
    raised = error;
    // What a value lacks that other code may have changed is not certain to be missing.
    raised->doubtful =
        raised->doubtful || (python_.doubt.touched() && !catches({"ImportError", "OSError"}, error.kind));
  }
  python_.doubt.touch(touched);
  return raised;
}

/// Whether code behind a `try` statement runs only by way of its one handler, as the block certainly ends with an
/// exception: what is not followed in the block may have raised another one, which the handler takes or which ends all.
bool TryStatements::is_surely_handled(const Node& statement, const PythonError& raised) {
  if (raised.doubtful || raised.assumed) return false;
  Node handler;
  for (const auto clause : statement) {
    if (!clause.is(NodeKind::handler)) continue;
    if (handler.there()) return false;
    handler = clause;
  }
  return handler.there() && !handler[1].there() && catches(handled_kinds(handler[0]), raised);
}

/// Nullopt if it is to be run again, now as if a module that is missing were installed.
std::optional<Flow> TryStatements::try_once(Frame& frame, const Node& statement) {
  std::vector<std::string> handled;
  bool handles_all = false, has_handler = false;
  Node otherwise, last;
  for (const auto clause : statement) {
    if (clause.is(NodeKind::else_)) otherwise = clause[0];
    if (clause.is(NodeKind::finally_)) last = clause[0];
    if (!clause.is(NodeKind::handler)) continue;
    heap_.work(work_of_name * (1 + clause[0].size()));
    auto kinds = kinds_of(frame, clause[0]);
    has_handler = true;
    handles_all = handles_all || kinds.empty();
    std::move(kinds.begin(), kinds.end(), std::back_inserter(handled));
  }
  const auto run_finally = [&](Flow flow) {
    if (!last.there()) return flow;
    const auto left = python_.statements.run(frame, last);
    return left == Flow::next ? flow : left;
  };
  if (handles_all) handled.clear();
  if (!has_handler) handled = {"no exception at all"};  // only `finally`
  auto flow = Flow::next;
  const auto raises_before = python_.doubt.possible_raises();
  const auto raised = raised_by_block(frame, statement, std::move(handled), flow);
  // What is not followed may have raised anything, before or instead.
  const bool doubtful =
      has_handler && (raises_before != python_.doubt.possible_raises() || (raised && raised->doubtful));
  frame.doubtful |= doubtful && !(raised && is_surely_handled(statement, *raised));
  if (!raised && flow == Flow::next && otherwise.there()) flow = python_.statements.run(frame, otherwise);
  if (doubtful) python_.doubt.doubt_effects(frame, statement);
  if (!raised) return run_finally(flow);
  for (const auto clause : statement) {
    if (!clause.is(NodeKind::handler) || !catches(kinds_of(frame, clause[0]), *raised)) continue;
    try {
      flow = run_handler(frame, clause, *raised);
      for (const auto cause : raised->causes)
        if (std::find(frame.caught_loads.begin(), frame.caught_loads.end(), cause) == frame.caught_loads.end())
          frame.caught_loads.push_back(cause);
      python_.tracker.note_lost_names(frame, statement[0], *raised);
    } catch (const PythonError& error) {
      if (takes_for_there(*raised, error)) return std::nullopt;
      run_finally(Flow::next);
      throw;
    } catch (...) {
      run_finally(Flow::next);
      throw;
    }
    return run_finally(flow);
  }
  run_finally(Flow::next);
  throw *raised;
}

/// Where packages may be elsewhere, whether a module is from now on taken to be there: `error` ends the import because
/// it is missing, be it in the words of a handler.
bool TryStatements::takes_for_there(const PythonError& missing, const PythonError& error) {
  const auto& name = missing.module;
  if (environment_.complete || missing.kind != "ModuleNotFoundError" || name.empty() ||
      python_.handlers.caught(error.kind))
    return false;
  const auto top = name.substr(0, name.find('.'));
  constexpr std::size_t most_taken = 50;  // each runs its statement once more
  if (taken_for_there_ == most_taken || python_.sys_modules.find_loaded(top) != nullptr ||
      python_.extension_modules.has_module(top))
    return false;
  ++taken_for_there_;
  python_.importer.retry_without(name);
  python_.sys_modules.make_module(top);
  return true;
}

Flow TryStatements::run_handler(Frame& frame, const Node& handler, const PythonError& raised) {
  note_warning(handler, raised);
  if (handler[1].there()) {
    python_.bindings.assign(frame, handler[1].text(), Named{"exception"});
    python_.raise_statements.keep_named(raised);
  }
  const auto handling = python_.handlers.handling(raised);
  try {
    return python_.statements.run(frame, handler[2]);
  } catch (PythonError& error) {
    // Either would have been enough: the load that failed, or the way around it.
    for (const auto cause : raised.causes)
      if (std::find(error.causes.begin(), error.causes.end(), cause) == error.causes.end())
        error.causes.push_back(cause);
    throw;
  }
}

}  // namespace cudald::python

#include <algorithm>
#include <iterator>

#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_loop = 2000;
constexpr std::uint64_t work_of_name = 32;  ///< to copy one

void declare(std::shared_ptr<std::set<std::string, std::less<>>>& declared, const Node& names) {
  if (declared == nullptr) declared = std::make_shared<std::set<std::string, std::less<>>>();
  for (const auto name : names) declared->emplace(name.text());
}

/// What conditions hang on, and no code.
bool is_data(const Value& value) {
  return value.get<None>() != nullptr || value.get<bool>() != nullptr || value.get<long long>() != nullptr ||
         value.get<std::string>() != nullptr || value.get<List>() != nullptr || value.get<Dict>() != nullptr;
}

}  // namespace

std::string dotted_text(const Node& expression) {
  std::vector<std::string_view> parts;
  auto node = expression;
  for (; node.is(NodeKind::attribute); node = node[0]) parts.push_back(node.text());
  if (!node.is(NodeKind::name)) return {};
  std::string text(node.text());
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) text.append(".").append(*part);
  return text;
}

Flow Statements::run(Frame& frame, const Node& block) {
  const Budget::Descent deeper(cost_);
  if (!deeper) {
    python_.tracker.note_depth(frame);
    return Flow::next;
  }
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto statement = block[i];
    python_.calls.count_steps(1);
    frame.line = statement.line();
    if (!frame.in_function) frame.module->line = std::max(frame.module->line, frame.line);
    const auto flow = run_statement(frame, statement);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Flow Statements::run_statement(Frame& frame, const Node& statement) {
  switch (statement.kind()) {
    case NodeKind::import:
    case NodeKind::from_import: python_.import_statements.run_import(frame, statement); break;
    case NodeKind::lazy: python_.import_statements.bind_lazily(frame, statement[0]); break;
    case NodeKind::if_: return run_if(frame, statement);
    case NodeKind::try_: return run_try(frame, statement);
    case NodeKind::for_: return run_for(frame, statement);
    case NodeKind::while_: return run_while(frame, statement);
    case NodeKind::with: return run_with(frame, statement);
    case NodeKind::match: return run_match(frame, statement);
    case NodeKind::block: return run(frame, statement);  // a clause without its `try` or `if`
    case NodeKind::class_:
    case NodeKind::function: run_definition(frame, statement); break;
    case NodeKind::return_:
      frame.result = statement.size() == 0 ? Value(None{}) : evaluate(python_, frame, statement[0]);
      // Which data it was hangs on where it returned; code and objects are followed, as the last ones are the usual.
      if (frame.may_have_returned && is_data(frame.result)) frame.result = Unknown{};
      frame.result.doubtful |= frame.doubtful;
      return Flow::returned;
    case NodeKind::raise:
      if (frame.in_function && frame.maybe) break;  // more likely the way to it is not taken
      run_raise(frame, statement);
      if (!frame.in_function) break;
      frame.result = Unknown{};
      return Flow::returned;
    case NodeKind::break_: return Flow::broken;
    case NodeKind::continue_: return Flow::continued;
    case NodeKind::global:
    case NodeKind::nonlocal:
      heap_.work(work_of_name * statement.size());
      declare(statement.is(NodeKind::global) ? frame.globals : frame.outer_names, statement);
      break;
    case NodeKind::assignment: {
      const auto value = evaluate(python_, frame, statement[0]);
      for (std::size_t i = 1; i < statement.size(); ++i) python_.bindings.assign_target(frame, statement[i], value);
      break;
    }
    case NodeKind::augmented: run_augmented(frame, statement); break;
    case NodeKind::annotated: run_annotated(frame, statement); break;
    case NodeKind::delete_: run_delete(frame, statement); break;
    case NodeKind::include: python_.extension_modules.run_include(frame, statement); break;
    case NodeKind::assert_: run_assert(frame, statement); break;
    case NodeKind::literal:  // a docstring
    case NodeKind::pass:
    case NodeKind::cimport:  // see import_for_extension
    case NodeKind::decorators: break;
    case NodeKind::missing: frame.module->doubtful = true; break;
    default: evaluate(python_, frame, statement);
  }
  return Flow::next;
}

/// A block behind a condition that cannot be known. What it raises or returns may as well not happen.
Flow Statements::run_maybe(Frame& frame, const Node& block) {
  const auto result = frame.result;
  const bool may_have_returned = frame.may_have_returned;
  auto flow = Flow::next;
  python_.doubt.note_opaque_call();
  // It is not known what raised it there, so what comes behind that may happen.
  if (!run_unsure(python_, frame, [&] { flow = run(frame, block); })) python_.doubt.doubt_effects(frame, block);
  if (flow == Flow::returned) {
    // Whether the function went on is not known, so nothing behind this is sure, its value neither.
    frame.result = Unknown{};
    if (frame.in_function) frame.maybe = frame.may_have_returned = true;
  } else if (flow == Flow::continued || flow == Flow::broken) {
    frame.may_be_left_out = true;  // the rest of this turn and, behind `break`, the others
  } else if (frame.may_have_returned == may_have_returned) {
    frame.result = result;
  }
  return Flow::next;
}

void evaluate_maybe(Interpreter& interpreter, Frame& frame, const Node& expression) {
  run_unsure(interpreter, frame, [&] { evaluate(interpreter, frame, expression); });
}

/// Where a condition is doubtful, so is what each of the blocks does, and what the others would have done.
Flow Statements::run_if(Frame& frame, const Node& statement) {
  bool sure = true;  // no clause before this one may have been taken
  const auto before = frame.doubtful;
  bool doubtful = false;
  const auto leave = [&](Flow flow, std::size_t taken) {
    if (!doubtful) return flow;
    for (std::size_t i = 0; i < statement.size(); i += 2)
      if (const auto block = i + 1 == statement.size() ? i : i + 1; block != taken)
        python_.doubt.doubt_effects(frame, statement[block]);
    frame.doubtful = before || frame.keeps_doubt;
    return flow;
  };
  for (std::size_t i = 0; i < statement.size(); i += 2) {
    std::optional<bool> holds = true;
    const bool is_else = i + 1 == statement.size();
    const auto block = is_else ? i : i + 1;
    if (!is_else) {
      frame.line = statement[i].line();
      const auto value = evaluate(python_, frame, statement[i]);
      python_.escapes.use(value, Escapes::Use::truth);
      holds = truth(value);
      if (holds && value.doubtful) frame.doubtful = doubtful = true;
    }
    if (holds == false) continue;
    if (holds == true && sure) return leave(run(frame, statement[block]), block);
    run_maybe(frame, statement[block]);
    if (holds == true) break;
    sure = false;
  }
  return leave(Flow::next, statement.size());
}

Flow Statements::run_try(Frame& frame, const Node& statement) {
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
std::vector<std::string> Statements::kinds_of(const Frame& frame, const Node& exceptions) const {
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
bool Statements::knows_handlers(Frame& frame, const Node& statement) {
  for (const auto clause : statement) {
    if (!clause.is(NodeKind::handler)) continue;
    for (const auto& kind : kinds_of(frame, clause[0]))
      if (!is_known_class(frame, kind)) return false;
  }
  return true;
}

/// Whether it names an exception of Python's own, or a class of which all bases are known.
bool Statements::is_known_class(Frame& frame, const std::string& name) {
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

/// Whether a class is derived from classes that are followed, and from Python's own exceptions.
bool Statements::is_known_exception(const Object& type) const {
  bool known = true, is_exception = false;
  visit_classes(type, [&](const Object& one) {
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      const bool own = named != nullptr && named->name.starts_with("builtins.") &&
                       is_builtin_name(std::string_view(named->name).substr(9));
      is_exception |= own && is_builtin_exception(std::string_view(named->name).substr(9));
      known = known && (own || base.get<ObjectRef>() != nullptr);
    }
    return known;
  });
  return known && is_exception;
}

/// Runs the block of a `try` statement that has handlers for these kinds, and says in `flow` how that ended.
std::optional<PythonError> Statements::raised_by_block(Frame& frame, const Node& statement,
                                                       std::vector<std::string> handled, Flow& flow) {
  std::optional<PythonError> raised;
  const bool touched = python_.doubt.set_touched(false);
  try {
    const bool unsure = !knows_handlers(frame, statement);
    const auto catcher = python_.doubt.with_unsure_catcher(unsure);
    const Handler handler(python_, std::move(handled));
    flow = run(frame, statement[0]);
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
bool Statements::is_surely_handled(const Node& statement, const PythonError& raised) {
  if (raised.doubtful || raised.assumed) return false;
  Node handler;
  for (const auto clause : statement) {
    if (!clause.is(NodeKind::handler)) continue;
    if (handler.there()) return false;
    handler = clause;
  }
  return handler.there() && !handler[1].there() && catches(handled_kinds(handler[0]), raised);
}

/// Nullopt if it is to be run again, with a module that is taken to be there now.
std::optional<Flow> Statements::try_once(Frame& frame, const Node& statement) {
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
    const auto left = run(frame, last);
    return left == Flow::next ? flow : left;
  };
  if (handles_all) handled.clear();
  if (!has_handler) handled = {"no exception at all"};  // only `finally`
  auto flow = Flow::next;
  const auto opaque_before = python_.doubt.opaque_calls();
  const auto raised = raised_by_block(frame, statement, std::move(handled), flow);
  // What is not followed may have raised anything, before or instead.
  const bool doubtful = has_handler && (opaque_before != python_.doubt.opaque_calls() || (raised && raised->doubtful));
  frame.doubtful |= doubtful && !(raised && is_surely_handled(statement, *raised));
  if (!raised && flow == Flow::next && otherwise.there()) flow = run(frame, otherwise);
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
bool Statements::takes_for_there(const PythonError& missing, const PythonError& error) {
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

Flow Statements::run_handler(Frame& frame, const Node& handler, const PythonError& raised) {
  note_warning(handler, raised);
  if (handler[1].there()) {
    python_.bindings.assign(frame, handler[1].text(), Named{"exception"});
    named_error_ = raised;
  }
  const auto handling = python_.handlers.handling(raised);
  try {
    return run(frame, handler[2]);
  } catch (PythonError& error) {
    // Either would have been enough: the load that failed, or the way around it.
    for (const auto cause : raised.causes)
      if (std::find(error.causes.begin(), error.causes.end(), cause) == error.causes.end())
        error.causes.push_back(cause);
    throw;
  }
}

Flow Statements::run_for(Frame& frame, const Node& statement) {
  const auto iterable = evaluate(python_, frame, statement[1]);
  const bool kept = std::exchange(frame.keeps_doubt, true), doubtful = frame.doubtful;
  const bool left_out = frame.may_be_left_out;
  const AtEnd leave([&] {
    frame.may_be_left_out = left_out;
    if (frame.doubtful && !doubtful) python_.doubt.doubt_effects(frame, statement);
    frame.keeps_doubt = kept;
    if (!kept) frame.doubtful = doubtful;
  });
  if (iterable.get<None>() != nullptr && !iterable.doubtful)
    python_.doubt.raise_if_certain(frame, {"TypeError", "'NoneType' object is not iterable"});
  const auto items = python_.calls.items_of(frame, iterable);
  frame.doubtful |= iterable.doubtful;
  const bool all_known = items && items->size() <= max_loop;
  for (std::size_t i = 0; all_known && i < items->size(); ++i) {
    python_.calls.count_steps(1);
    python_.bindings.assign_target(frame, statement[0], (*items)[i]);
    const auto flow = run(frame, statement[2]);
    if (flow == Flow::broken) return Flow::next;
    if (flow == Flow::returned) return flow;
  }
  if (all_known && !has(items->doubt, ListDoubt::may_hold_more))
    return statement[3].there() ? run(frame, statement[3]) : Flow::next;
  python_.bindings.assign_target(frame, statement[0], Unknown{});
  const auto flow = run_maybe(frame, statement[2]);
  if (statement[3].there()) run_maybe(frame, statement[3]);
  return flow;
}

Flow Statements::run_while(Frame& frame, const Node& statement) {
  std::optional<bool> holds;
  const bool kept = std::exchange(frame.keeps_doubt, true), doubtful = frame.doubtful;
  const bool left_out = frame.may_be_left_out;
  const AtEnd leave([&] {
    frame.may_be_left_out = left_out;
    if (frame.doubtful && !doubtful) python_.doubt.doubt_effects(frame, statement);
    frame.keeps_doubt = kept;
    if (!kept) frame.doubtful = doubtful;
  });
  for (std::size_t turns = 0; turns < max_loop; ++turns) {
    const auto value = evaluate(python_, frame, statement[0]);
    python_.escapes.use(value, Escapes::Use::truth);
    holds = truth(value);
    frame.doubtful |= value.doubtful;
    if (holds == false) return statement[2].there() ? run(frame, statement[2]) : Flow::next;
    if (!holds || frame.maybe) break;
    python_.calls.count_steps(1);
    const auto flow = run(frame, statement[1]);
    if (flow == Flow::broken) return Flow::next;
    if (flow == Flow::returned) return flow;
  }
  const auto flow = run_maybe(frame, statement[1]);
  if (statement[2].there()) run_maybe(frame, statement[2]);
  return flow;
}

void Statements::run_augmented(Frame& frame, const Node& statement) {
  const auto value = evaluate(python_, frame, statement[1]);
  const auto old = evaluate(python_, frame, statement[0]);
  python_.escapes.use(old, Escapes::Use::operation);
  python_.escapes.use(value, Escapes::Use::operation);
  const auto *list = old.get<List>(), *more = value.get<List>();
  const auto *words = old.get<std::string>(), *suffix = value.get<std::string>();
  const bool adds = statement.text() == "+=" && !frame.maybe;
  const auto *number = old.get<long long>(), *other = value.get<long long>();
  if (!frame.maybe && number != nullptr && other != nullptr && (adds || statement.text() == "-=")) {
    python_.bindings.assign_target(frame, statement[0],
                                   apply(heap_, adds ? Word::plus : Word::minus, old, value, paths_));
    return;
  }
  if (adds && list != nullptr && more != nullptr && list->items->size() + more->items->size() < max_length) {
    heap_.keep(Heap::size_of(*more->items));
    const auto items = heap_.copy(*more);  // it may be the same list
    list->items->insert(list->items->end(), items.begin(), items.end());
    list->items->take_doubt(items.doubt);
    python_.bindings.assign_target(frame, statement[0], old);
  } else if (adds && words != nullptr && suffix != nullptr && words->size() + suffix->size() < max_length) {
    heap_.look_at(words->size() + suffix->size());
    python_.bindings.assign_target(frame, statement[0], *words + *suffix);
  } else {
    if (statement.text() == "+=") python_.doubt.refuse_none(frame, "+=", old, value, statement[1]);
    if (list != nullptr) list->items->take_doubt(ListDoubt::may_hold_more);
    python_.escapes.escape(old);
    python_.bindings.assign_target(frame, statement[0], Unknown{});
  }
}

void Statements::run_assert(Frame& frame, const Node& statement) {
  if (python_.host.optimisation() > 0) return;
  const auto value = evaluate(python_, frame, statement[0]);
  if (truth(value) != false || value.doubtful) return;
  const auto said = statement[1].there() ? evaluate(python_, frame, statement[1]) : Value();
  PythonError error{"AssertionError", first_line(said)};
  error.unexplained = true;
  if (error.message.empty()) error.place = frame.source->path() + ":" + std::to_string(statement.line());
  python_.doubt.raise_if_certain(frame, std::move(error));
}

void Statements::run_annotated(Frame& frame, const Node& statement) {
  if (evaluates_annotations(frame)) evaluate(python_, frame, statement[1]);
  if (statement[2].there()) python_.bindings.assign_target(frame, statement[0], evaluate(python_, frame, statement[2]));
}

void Statements::run_delete(Frame& frame, const Node& statement) {
  for (const auto target : statement) {
    if (target.is(NodeKind::subscript)) delete_item(frame, target);
    if (target.is(NodeKind::name) && !frame.maybe && !frame.in_function && frame.class_names == nullptr)
      frame.module->names.erase(target.text());
  }
}

/// `del sys.modules[key]`, as a module does that puts something else in its place.
void Statements::take_from_modules(const Frame& frame, const Value& key) {
  const auto* name = key.get<std::string>();
  auto* loaded = name == nullptr ? nullptr : python_.sys_modules.find_loaded(*name);
  if (loaded == nullptr) return;
  if (frame.maybe || python_.escapes.is_doubtful(key))
    loaded->opaque = true;
  else
    python_.sys_modules.take_out_module(*name);
}

void Statements::delete_item(Frame& frame, const Node& target) {
  const auto owner = evaluate(python_, frame, target[0]);
  const auto key = evaluate(python_, frame, target[1]);
  python_.escapes.use(owner, Escapes::Use::operation);
  const auto* named = owner.get<Named>();
  if (const auto* name = key.get<std::string>(); name != nullptr && named != nullptr && named->name == "os.environ")
    python_.host.unset_variable(frame, *name);
  if (named != nullptr && named->name == "sys.modules") take_from_modules(frame, key);
  if (const auto* module = owner.thing(ThingKind::globals)) python_.calls.take_from_globals(frame, *module, key);
  const auto* list = owner.get<List>();
  const auto* index = key.get<long long>();
  if (list != nullptr && (frame.maybe || key.unknown())) list->items->take_doubt(ListDoubt::may_lack);
  if (const auto at =
          list == nullptr || index == nullptr || frame.maybe ? std::nullopt : place_in(list->items->size(), *index)) {
    heap_.work(list->items->size() - *at);
    list->items->erase(list->items->begin() + static_cast<std::ptrdiff_t>(*at));
  }
  if (const auto* dict = owner.get<Dict>()) dict->items->remove(heap_, key, frame.maybe);
}

}  // namespace cudald::python

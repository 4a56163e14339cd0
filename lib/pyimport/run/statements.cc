#include <algorithm>
#include <iterator>

#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_loop = 2000;

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
    python_.doubt.set_touched(false);  // by the statements before
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
    case NodeKind::try_: return python_.try_statements.run(frame, statement);
    case NodeKind::for_: return run_for(frame, statement);
    case NodeKind::while_: return run_while(frame, statement);
    case NodeKind::with: return python_.with_statements.run(frame, statement);
    case NodeKind::match: return python_.match_statements.run(frame, statement);
    case NodeKind::block: return run(frame, statement);  // a clause without its `try` or `if`
    case NodeKind::class_:
    case NodeKind::function: python_.definitions.run(frame, statement); break;
    case NodeKind::return_:
      frame.result = statement.size() == 0 ? Value(None{}) : evaluate(python_, frame, statement[0]);
      // Which data it was hangs on where it returned; code and objects are followed, as the last ones are the usual.
      if (frame.may_have_returned && is_data(frame.result)) frame.result = Unknown{};
      frame.result.doubtful |= frame.doubtful;
      return Flow::returned;
    case NodeKind::raise:
      if (frame.maybe) python_.doubt.note_possible_raise();
      if (frame.in_function && frame.maybe) break;  // more likely the way to it is not taken
      python_.raise_statements.run(frame, statement);
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
  // It is not known what raised it there, so what comes behind that may happen.
  if (!run_unsure(python_, frame, [&] { flow = run(frame, block); })) {
    python_.doubt.note_possible_raise();
    python_.doubt.doubt_effects(frame, block);
  }
  if (flow == Flow::returned) {
    // Whether the function went on is not known, so nothing behind this is sure, its value neither.
    frame.result = Unknown{};
    if (frame.in_function) frame.maybe = frame.own_maybe = frame.may_have_returned = true;
  } else if (flow == Flow::continued || flow == Flow::broken) {
    frame.may_be_left_out = true;  // the rest of this turn and, behind `break`, the others
  } else if (frame.may_have_returned == may_have_returned) {
    frame.result = result;
  }
  return Flow::next;
}

void evaluate_maybe(Interpreter& interpreter, Frame& frame, const Node& expression) {
  if (!run_unsure(interpreter, frame, [&] { evaluate(interpreter, frame, expression); }))
    interpreter.doubt.note_possible_raise();
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
  python_.doubt.refuse_none(frame, iterable, {"TypeError", "'NoneType' object is not iterable"});
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
  if (iterable.unknown()) python_.doubt.may_raise("TypeError");
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
    if (statement.text() == "+=") python_.doubt.refuse_operand(frame, "+=", old, value, statement[1]);
    if (list != nullptr) list->items->take_doubt(ListDoubt::may_hold_more);
    python_.escapes.escape(old);
    python_.bindings.assign_target(frame, statement[0], Unknown{});
  }
}

void Statements::run_assert(Frame& frame, const Node& statement) {
  if (python_.host.optimisation() > 0) return;
  const auto value = evaluate(python_, frame, statement[0]);
  if (!truth(value)) python_.doubt.may_raise("AssertionError");
  if (truth(value) != false || value.doubtful) return;
  const auto said = statement[1].there() ? evaluate(python_, frame, statement[1]) : Value();
  PythonError error{"AssertionError", RaiseStatements::first_line(said)};
  error.unexplained = true;
  if (error.message.empty()) error.place = frame.source->path() + ":" + std::to_string(statement.line());
  python_.doubt.raise_if_certain(frame, std::move(error));
}

void Statements::run_annotated(Frame& frame, const Node& statement) {
  if (python_.definitions.evaluates_annotations(frame)) evaluate(python_, frame, statement[1]);
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
  if (owner.unknown() || key.unknown()) python_.doubt.may_lack_item();
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

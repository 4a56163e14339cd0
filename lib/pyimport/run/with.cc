// What a `with` statement does: what its contexts give, and whether they end what the block raises.
// Source: the Python language reference, "The with statement".

#include <algorithm>

#include "pyimport/run/interpreter.h"

namespace cudald::python {

/// What its __enter__ gives: what a `with` binds.
Value WithStatements::entered(Frame& frame, const Value& context) {
  if (context.get<Generator>() != nullptr) {  // contextlib.contextmanager
    const auto given = python_.calls.items_of(frame, context);
    return given && !given->in_doubt() && given->size() == 1 ? given->front() : Value();
  }
  if (const auto* text = context.thing(ThingKind::context)) return *text;
  if (context.thing(ThingKind::text_file) != nullptr) return context;
  if (const auto* named = context.get<Named>()) {
    const bool own = named->name == process_maps_file || named->name == exit_stack;
    return own ? context : Value();
  }
  if (context.get<List>() != nullptr) return context;  // of os.scandir
  return context.get<ObjectRef>() == nullptr
             ? Value()
             : python_.calls.call(frame, python_.bindings.attribute(frame, context, "__enter__"), {});
}

namespace {

/// The statements of the function of contextlib.contextmanager that try to yield, and so handle what the block raises.
std::vector<Node> tries_of(const Generator& generator) {
  std::vector<Node> waiting{generator.function->source->body(generator.function->node)}, tries;
  while (!waiting.empty()) {
    const auto node = waiting.back();
    waiting.pop_back();
    if (node.is(NodeKind::function) || node.is(NodeKind::class_) || node.is(NodeKind::lambda)) continue;
    if (node.is(NodeKind::try_) && has_node(node[0], NodeKind::yield)) tries.push_back(node);
    for (const auto part : node) waiting.push_back(part);
  }
  return tries;
}

/// Whether statements assign to `builtins.__import__`.
bool assigns_import(const Node& node) {
  if (node.is(NodeKind::function) || node.is(NodeKind::class_) || node.is(NodeKind::lambda)) return false;
  if (node.is(NodeKind::assignment))
    for (std::size_t i = 1; i < node.size(); ++i)
      if (node[i].is(NodeKind::attribute) && node[i].text() == "__import__") return true;
  for (const auto part : node)
    if (assigns_import(part)) return true;
  return false;
}

bool handles(const std::vector<Node>& tries, const PythonError& error, bool raising) {
  return std::any_of(tries.begin(), tries.end(), [&](const Node& statement) {
    for (const auto clause : statement)
      if (clause.is(NodeKind::handler) && catches(handled_kinds(clause[0]), error) &&
          has_node(clause[2], NodeKind::raise) == raising)
        return true;
    return false;
  });
}

}  // namespace

/// Whether a failed import in the block of a context may be no failure: its code can end an exception.
bool WithStatements::may_end_import(const Value& context) const {
  const PythonError missing{"ModuleNotFoundError", ""};
  if (const auto* generator = context.get<Generator>()) return handles(tries_of(*generator), missing, false);
  const auto* object = context.get<ObjectRef>();
  if (object == nullptr || !may_suppress(context) || (*object)->bases.empty()) return false;
  const auto* type = (*object)->bases[0].get<ObjectRef>();
  const auto exit = type == nullptr ? std::nullopt : python_.bindings.member(**type, "__exit__");
  const auto* function = exit ? exit->get<std::shared_ptr<const Function>>() : nullptr;
  return function != nullptr && has_node((*function)->source->body((*function)->node), NodeKind::return_);
}

/// Whether a context ends an exception that leaves its block: what its __exit__ gives is true. Where that is not known
/// it does not, as most only clean up.
bool WithStatements::ends(Frame& frame, const Value& context, const PythonError& error) {
  if (const auto* generator = context.get<Generator>()) {
    const auto tries = tries_of(*generator);
    return handles(tries, error, false) && !handles(tries, error, true);
  }
  if (context.get<ObjectRef>() == nullptr) return false;
  const auto handling = python_.handlers.handling(error);
  const auto given =
      python_.calls.call(frame, python_.bindings.attribute(frame, context, "__exit__"),
                         {{"", Named{std::string(type_of_exception)}}, {"", Named{"exception"}}, {"", Unknown{}}});
  return may_suppress(context) && !given.doubtful && truth(given) == true;
}

/// Whether its __exit__ may end an exception. Those of the standard library do not, but for contextlib.suppress.
bool WithStatements::may_suppress(const Value& context) const {
  if (context.is_named() || context.get<List>() != nullptr) return false;
  const auto* object = context.get<ObjectRef>();
  const auto* type = object == nullptr || (*object)->bases.empty() ? nullptr : (*object)->bases[0].get<ObjectRef>();
  if (type == nullptr || Calls::has_doubtful_class(**type)) return true;
  const auto exit = python_.bindings.member(**type, "__exit__");
  const auto* function = exit ? exit->get<std::shared_ptr<const Function>>() : nullptr;
  return function == nullptr || !finder_.in_standard_library((*function)->source->path());
}

/// Whether a function of contextlib.contextmanager puts one of its own in the place of __import__, as etils does:
/// `with epy.lazy_imports():`. Its code has run to its end before the block does here.
bool WithStatements::replaces_import(const Value& context) {
  const auto* generator = context.get<Generator>();
  return generator != nullptr && assigns_import(generator->function->source->body(generator->function->node));
}

void WithStatements::leave(Frame& frame, const std::vector<Value>& contexts) {
  for (auto context = contexts.rbegin(); context != contexts.rend(); ++context)
    if (context->get<ObjectRef>() != nullptr)
      python_.calls.call(frame, python_.bindings.attribute(frame, *context, "__exit__"),
                         {{"", None{}}, {"", None{}}, {"", None{}}});
}

Flow WithStatements::run(Frame& frame, const Node& statement) {
  bool suppresses = false, may_end = false;
  std::vector<std::string> kinds;
  std::vector<Value> contexts;
  int unsure = 0;  // what they do with exceptions is not known
  bool replaces = false;
  for (std::size_t i = 0; i + 1 < statement.size(); ++i) {
    const auto item = statement[i];
    const auto called = item[0].is(NodeKind::call) ? dotted_text(item[0][0]) : std::string();
    if (called == "suppress" || called.ends_with(".suppress")) {
      suppresses = true;
      for (std::size_t k = 1; k < item[0].size(); ++k)
        for (auto& kind : handled_kinds(item[0][k])) kinds.push_back(std::move(kind));
    }
    contexts.push_back(evaluate(python_, frame, item[0]));
    unsure += may_suppress(contexts.back()) ? 1 : 0;
    may_end |= may_end_import(contexts.back());
    replaces |= replaces_import(contexts.back());
    const auto value = entered(frame, contexts.back());
    if (item[1].there()) python_.bindings.assign_target(frame, item[1], value);
  }
  auto flow = Flow::next;
  try {
    std::optional<Handler> handler;
    if (suppresses) handler.emplace(python_, kinds);
    if (!suppresses && may_end) handler.emplace(python_, std::vector<std::string>{"ImportError"}, Reach::this_module);
    const auto catcher = python_.doubt.with_unsure_catcher(unsure);
    const auto replaced = python_.import_statements.with_replaced_import(replaces);
    flow = python_.statements.run(frame, statement.back());
  } catch (const PythonError& error) {
    bool ended = suppresses && catches(kinds, error);
    while (!contexts.empty() && !ended) {
      ended = ends(frame, contexts.back(), error);
      contexts.pop_back();
    }
    leave(frame, contexts);
    if (!ended) throw;
    return Flow::next;
  }
  leave(frame, contexts);
  return flow;
}

}  // namespace cudald::python

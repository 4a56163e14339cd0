#include <algorithm>

#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"

/// Imports that are made when somebody asks for the name that they bind: `lazy import a`, and what `__lazy_modules__`
/// and PYTHON_LAZY_IMPORTS make so.
/// Source: PEP 810; CPython 3.15 Doc/reference/simple_stmts.rst, "Lazy imports".

namespace cudald::python {

/// Whether an import of the module that is written without `lazy` is one.
bool ImportStatements::is_lazy(const Frame& frame, const std::string& module) {
  constexpr int first_minor = 15;
  if (frame.in_function || frame.in_try || frame.scope != nullptr || frame.class_names != nullptr) return false;
  if (minor_of(environment_.version) < first_minor) return false;
  if (!all_lazy_) {
    const auto* asked = python_.host.variable("PYTHON_LAZY_IMPORTS");
    all_lazy_ = asked != nullptr && *asked == "all";
  }
  if (*all_lazy_) return true;
  const auto at = frame.module->names.find("__lazy_modules__");
  const auto* names = at == frame.module->names.end() ? nullptr : at->second.get<List>();
  if (names == nullptr) return false;
  heap_.work(names->items->size());
  return std::any_of(names->items->begin(), names->items->end(), [&](const Value& one) {
    const auto* name = one.get<std::string>();
    return name != nullptr && *name == module;
  });
}

void ImportStatements::bind_lazily(Frame& frame, const Node& statement) {
  for (std::size_t part = statement.is(NodeKind::import) ? 0 : 1; part < statement.size(); ++part)
    bind_lazily(frame, statement, part);
}

void ImportStatements::bind_lazily(Frame& frame, const Node& statement, std::size_t part) {
  const bool from = !statement.is(NodeKind::import);
  const auto imported = statement[part];
  auto module = plain_dotted_name(from ? statement[0] : imported[0]);
  if (imported[0].text() == "*") return;  // no Python accepts it
  std::string bound(imported[1].there() ? imported[1].text() : imported[0].text());
  if (!from && !imported[1].there()) bound = module.substr(0, module.find('.'));
  if (from) module = python_.importer.absolute_name(*frame.module, statement.level(), module);
  // Its packages import it when somebody asks them for it.
  for (auto dot = module.find('.'); dot != std::string::npos; dot = module.find('.', dot + 1)) {
    auto inside = module.substr(0, module.find('.', dot + 1));
    heap_.keep(3 * sizeof(std::string) + inside.size());
    lazy_submodules_.insert(std::move(inside));
  }
  heap_.keep(sizeof(LazyImport) + 3 * sizeof(std::string) + bound.size());
  frame.module->names.erase(bound);
  frame.module->lazy_names.insert_or_assign(std::move(bound), LazyImport{statement, part, frame.maybe});
}

/// The value of a name that is bound lazily, whose import is made now; nullopt of any other.
std::optional<Value> ImportStatements::resolve_lazily(Frame& asking, Module& module, std::string_view name) {
  if (module.lazy_names.empty()) return std::nullopt;
  const auto at = module.lazy_names.find(name);
  if (at == module.lazy_names.end()) return std::nullopt;
  const Budget::Descent deeper(cost_);  // it may lead to a name that is lazy in another module, and so on
  if (!deeper) {
    python_.tracker.note_depth(asking);
    return Unknown{};
  }
  // What is imported may ask for the name itself, and finds nothing.
  auto entry = module.lazy_names.extract(at);
  const auto& lazy = entry.mapped();
  Frame frame;
  frame.module = &module;
  frame.source = module.source;
  frame.line = lazy.statement.line();
  frame.in_function = asking.in_function;
  frame.maybe = asking.maybe;
  const auto keep_lazy = [&] { module.lazy_names.insert(std::move(entry)); };
  try {
    const auto make = [&] { make_imports(frame, [&] { resolve(frame, lazy.statement, lazy.part, entry.key()); }); };
    if (lazy.maybe)
      run_unsure(python_, frame, make);
    else
      make();
  } catch (const PythonError&) {
    keep_lazy();
    throw;
  }
  if (const auto value = module.names.find(name); value != module.names.end()) return value->second;
  keep_lazy();
  return Unknown{};
}

void ImportStatements::resolve(Frame& frame, const Node& statement, std::size_t part, const std::string& bound) {
  const auto imported = statement[part];
  if (statement.is(NodeKind::import)) {
    const auto named = plain_dotted_name(imported[0]);
    // Of `import a.b`, which binds a, b comes in when it is asked of a.
    const auto module = imported[1].there() ? named : named.substr(0, named.find('.'));
    if (!follows(frame)) return python_.tracker.leave_out(frame, module);
    return python_.bindings.assign(frame, bound, ModuleName{python_.importer.import_module(module, &frame).name});
  }
  const auto module = python_.importer.absolute_name(*frame.module, statement.level(), plain_dotted_name(statement[0]));
  if (!follows(frame)) return python_.tracker.leave_out_names(frame, statement, module);
  if (module.empty()) python_.importer.leads_out_of_packages(*frame.module);
  import_name(frame, python_.importer.import_module(module, &frame), imported);
}

/// `import *` asks for each.
void ImportStatements::resolve_all(Frame& frame, Module& module) {
  heap_.work(30 * module.lazy_names.size());
  std::vector<std::string> names;
  for (const auto& [name, import] : module.lazy_names)
    if (!name.starts_with('_')) names.push_back(name);
  for (const auto& name : names) resolve_lazily(frame, module, name);
}

}  // namespace cudald::python

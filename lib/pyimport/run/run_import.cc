#include "pyimport/run_import.h"

#include <algorithm>
#include <iterator>

#include "base/similar_word.h"
#include "base/version_order.h"
#include "pyimport/bytecode.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/refused_syntax.h"

namespace cudald {

namespace {

/// A name without its digits: what differs in these alone is another thing, and no slip.
std::string without_digits(std::string_view name) {
  std::string rest;
  std::copy_if(name.begin(), name.end(), std::back_inserter(rest), [](char c) { return c < '0' || c > '9'; });
  return rest;
}

/// The name of a module that is most like one which it lacks; empty if none is.
std::string similar_name(const python::Module& module, const std::string& name) {
  constexpr std::size_t most_names = 5000;
  std::vector<std::string_view> names;
  for (const auto& [known, value] : module.names)
    if (known.starts_with('_') == name.starts_with('_') && names.size() < most_names &&
        without_digits(known) != without_digits(name))
      names.push_back(known);
  return std::string(similar_word(name, names));
}

/// What every Python imports before it runs anything, and then the module.
/// Source: CPython 3.11 Python/pylifecycle.c, init_import_site.
void import_all(const std::string& module, python::Interpreter& interpreter) {
  auto& result = interpreter.tracker.result();
  for (const std::string first : {"encodings", "site"}) {
    try {
      interpreter.importer.import_module(first, nullptr);
    } catch (const python::PythonError&) {
      result.missing.clear();
    }
  }
  interpreter.finders.set_known_search_path();  // what site does to it hangs on files that the environment has read
  interpreter.importer.run_start_up();
  interpreter.finders.add_entry_of_program();
  try {
    interpreter.importer.import_module(module, nullptr);
    result.imported = true;
    result.refused.reset();
  } catch (const python::PythonError& error) {
    result.error = error.type.empty() ? error.kind : error.type;
    if (!error.place.empty())
      result.error += " at " + error.place;
    else if (!error.message.empty() || error.kind != "StopIteration")
      result.error += ": " + error.message;
    const bool lacks_item = error.kind == "StopIteration" || error.kind == "IndexError";
    if (lacks_item || error.unexplained)
      for (const auto& group : interpreter.tracker.absent_entry_points(error.at, lacks_item))
        interpreter.tracker.note(std::string(looked_for_entry_points) + group + std::string(not_declared));
    if (!error.variable.empty())
      interpreter.tracker.note(std::string(needs_variable) + error.variable + std::string(not_set));
    if (!error.before.empty()) result.error += ", raised because of " + error.before;
    result.causes = error.causes;
    result.raised_at = error.at;
    result.advice = error.advice;
    if (error.lacked != nullptr) {
      result.lacked = *error.lacked;
      const auto* module =
          error.kind == "TypeError" ? nullptr : interpreter.sys_modules.find_loaded(result.lacked->module);
      if (module != nullptr) result.lacked->similar = similar_name(*module, result.lacked->name);
    }
    result.unexplained = error.unexplained && error.causes.empty();
    // A function may be looked for in the program itself, as the library was not found.
    if (result.unexplained || error.kind == "IndexError" || error.kind == "AttributeError")
      for (const auto& path : interpreter.tracker.absent_libraries(error.at))
        interpreter.tracker.note(std::string(looked_for) + path + std::string(not_there));
  }
}

}  // namespace

ImportResult run_import(const std::string& module, const PythonEnvironment& environment, const FileSystem& files,
                        const PythonLoader& loader, std::string_view rules_text, Budget& budget,
                        python::SourceStore* sources) {
  auto rules = python::read_rules(rules_text, environment.windows != nullptr);
  for (const auto& [name, left] : rules.left)
    if (!version_less(environment.version, left.release) && !environment.is_elsewhere(std::string(left.distribution)))
      rules.standard_library.erase(name);
  ImportResult result;
  result.notes = environment.notes;
  if (environment.lost_home) {
    result.error = "ModuleNotFoundError: No module named 'encodings'";
    result.missing.push_back({"encodings", "", 0, true});
    return result;
  }
  try {
    python::Interpreter interpreter(environment, files, loader, rules, budget, sources);
    interpreter.tracker.result().notes = environment.notes;
    try {
      import_all(module, interpreter);
    } catch (const python::Exhausted&) {
      interpreter.tracker.result().followed = false;
    }
    interpreter.tracker.collect_soft_libraries();
    interpreter.tracker.tell_lost_sources();
    if (interpreter.tracker.result().imported)
      interpreter.extension_modules.collect_possible_imports(), interpreter.tracker.collect_left_out();
    result = std::move(interpreter.tracker.result());
  } catch (const python::Exhausted&) {  // before anything was imported
    result.followed = false;
  }
  if (budget.exhausted())
    result.notes.insert(result.notes.begin(), "its code was not followed further: " + budget.error().message);
  return result;
}

int first_python_of_source(std::string_view text, std::string_view version) {
  Budget budget;
  const auto refused = python::refused_syntax(text, minor_of(version), budget);
  return refused ? refused->first : 0;
}

}  // namespace cudald

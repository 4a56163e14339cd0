#include "python/run_import.h"

#include "python/interpreter.h"

namespace cudald {

ImportResult run_import(const std::string& module, const PythonEnvironment& environment, const FileSystem& files,
                        const PythonLoader& loader, std::string_view rules_text) {
  const auto rules = python::read_rules(rules_text, environment.windows != nullptr);
  python::Interpreter interpreter(environment, files, loader, rules);
  auto& result = interpreter.result();
  result.notes = environment.notes;
  // What every Python imports before it runs anything. Source: CPython 3.11 Python/pylifecycle.c, init_import_site.
  for (const std::string first : {"encodings", "site"}) {
    try {
      interpreter.import_module(first, nullptr);
    } catch (const python::PythonError&) {
      result.missing.clear();
    }
  }
  try {
    interpreter.import_module(module, nullptr);
    result.imported = true;
  } catch (const python::PythonError& error) {
    result.error = error.kind + (error.place.empty() ? ": " + error.message : " at " + error.place);
    result.causes = error.causes;
    result.unexplained = error.unexplained && error.causes.empty();
  } catch (const python::StepLimit&) {
    result.followed = false;
  }
  interpreter.collect_soft_libraries();
  return std::move(result);
}

}  // namespace cudald

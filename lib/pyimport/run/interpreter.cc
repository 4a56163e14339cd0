#include "pyimport/run/interpreter.h"

namespace cudald::python {

Part::Part(Interpreter& python)
    : python_(python),
      environment_(python.environment),
      files_(python.files),
      loader_(python.loader),
      rules_(python.rules),
      paths_(python.paths),
      visible_(python.visible),
      cost_(python.cost),
      heap_(python.heap),
      finder_(python.finder) {}

Interpreter::Interpreter(const PythonEnvironment& environment_given, const FileSystem& files_given,
                         const PythonLoader& loader_given, const Rules& rules_given, Budget& budget,
                         SourceStore* source_store)
    : environment(environment_given),
      files(files_given),
      loader(loader_given),
      rules(rules_given),
      cost(budget),
      paths(environment.windows != nullptr),
      visible(environment, files),
      texts(files),
      heap(cost),
      finder(environment, files, rules.standard_library, heap),
      tracker(*this),
      host(*this, source_store),
      requests(*this),
      handlers(*this),
      doubt(*this),
      escapes(*this),
      sys_modules(*this),
      finders(*this),
      importer(*this),
      import_statements(*this),
      extension_modules(*this),
      compiled_files(*this),
      absent_names(*this),
      unseen_imports(*this),
      statements(*this),
      definitions(*this),
      try_statements(*this),
      raise_statements(*this),
      with_statements(*this),
      match_statements(*this),
      bindings(*this),
      calls(*this) {}

}  // namespace cudald::python

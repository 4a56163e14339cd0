#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "pyimport/run/absent_names.h"
#include "pyimport/run/bindings.h"
#include "pyimport/run/calls.h"
#include "pyimport/run/compiled_files.h"
#include "pyimport/run/definitions.h"
#include "pyimport/run/doubt.h"
#include "pyimport/run/escapes.h"
#include "pyimport/run/extension_modules.h"
#include "pyimport/run/finders.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/handlers.h"
#include "pyimport/run/host.h"
#include "pyimport/run/import_statements.h"
#include "pyimport/run/importer.h"
#include "pyimport/run/loader_requests.h"
#include "pyimport/run/match.h"
#include "pyimport/run/named.h"
#include "pyimport/run/python_error.h"
#include "pyimport/run/raise.h"
#include "pyimport/run/statements.h"
#include "pyimport/run/sys_modules.h"
#include "pyimport/run/tracker.h"
#include "pyimport/run/try.h"
#include "pyimport/run/unseen_imports.h"
#include "pyimport/run/with.h"
#include "pyimport/sources/source_texts.h"
#include "pyimport/values/operators.h"

namespace cudald::python {

/// Follows Python code as far as needed to know what it imports and loads: module-level statements always, functions
/// when they are called from there. What cannot be known is Unknown; both branches behind it are looked at, and a
/// function imports nothing there. Its parts keep their state to themselves; the rest of cudald sees run_import alone.
class Interpreter {
 public:
  Interpreter(const PythonEnvironment&, const FileSystem&, const PythonLoader&, const Rules&, Budget&, SourceStore*);

  // What all parts work with. Texts are there before all that holds sources, the heap before all that holds values.
  const PythonEnvironment& environment;
  const FileSystem& files;
  const PythonLoader& loader;
  const Rules& rules;
  Budget& cost;  ///< of the question
  const CodePaths paths;
  const VisibleFiles visible;
  SourceTexts texts;
  Heap heap;
  ModuleFinder finder;

  // What the import asks for and brings about, and what of it is in doubt.
  Tracker tracker;
  Host host;
  LoaderRequests requests;
  Handlers handlers;
  Doubt doubt;
  Escapes escapes;
  // Modules.
  SysModules sys_modules;
  Finders finders;
  Importer importer;
  ImportStatements import_statements;
  ExtensionModules extension_modules;
  CompiledFiles compiled_files;
  AbsentNames absent_names;
  UnseenImports unseen_imports;
  // The evaluation of code.
  Statements statements;
  Definitions definitions;
  TryStatements try_statements;
  RaiseStatements raise_statements;
  WithStatements with_statements;
  MatchStatements match_statements;
  Bindings bindings;
  Calls calls;
};

/// Evaluates an expression; what it cannot follow is Unknown.
Value evaluate(Interpreter&, Frame&, const Node& expression);
/// The same behind a condition that cannot be known: what it raises may as well not happen. Its value is unknown.
void evaluate_maybe(Interpreter&, Frame&, const Node& expression);
/// "a.b.c" of a name with its attributes; empty of anything else.
std::string dotted_text(const Node& expression);
/// Whether a name with underscores is one that packages give themselves, by custom, and Python gives to none.
bool is_no_name_of_python(std::string_view name);
inline Node parameters_of(const Function& function) {
  return function.node[function.node.is(NodeKind::lambda) ? 0 : 2];
}
/// Whether a class is derived from str and from classes that are followed.
bool is_derived_from_str(const Object& type);
/// The text of such an instance, where no class of its own has a name of its own for what is asked of it; else null.
const std::string* text_behind(const Value&, std::initializer_list<std::string_view> asked);
/// Of a search for the files that a pattern fits; PATH_MAX; and the steps of asking the tree for a path.
inline constexpr std::size_t max_hits = 500, max_pattern = 4096;
inline constexpr std::uint64_t work_of_status = 100;
/// What it costs in steps to copy a name.
inline constexpr std::uint64_t work_of_name = 32;
/// What a request of the loader, or a look at what is mapped, costs in steps, and in bytes of the report.
inline constexpr std::uint64_t work_of_request = 5000, size_of_request = 16384;

}  // namespace cudald::python

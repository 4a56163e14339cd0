#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run_import.h"
#include "pyimport/syntax/syntax_tree.h"

namespace cudald::python {

/// A Python exception on its way up. It never leaves run_import.
struct PythonError {
  std::string kind;  ///< "ModuleNotFoundError"; of a class of a package its name alone
  std::string message;
  std::string module = {};               ///< that was not found
  std::vector<std::size_t> causes = {};  ///< as ImportResult::causes
  bool unexplained = false;              ///< as ImportResult::unexplained
  std::string place = {};                ///< "a.py:7" of a raise whose message is not known
  std::shared_ptr<const LackedName> lacked = {};
  bool shortened = false;   ///< the message is a line of a longer text
  std::string before = {};  ///< what was being handled there: "ImportError: ..."
  /// Of a class of a package its whole name: "pydantic.errors.PydanticImportError".
  std::string type = {};
  std::vector<std::string> bases = {};  ///< the names of all classes that its class is derived from
  bool doubtful = false;                ///< as Value::doubtful: it may as well not have been raised
  bool assumed = false;                 ///< the way to it is in doubt, and it counts since a handler catches it
  std::string at = {};                  ///< "a.py:7", as ImportResult::raised_at
  std::string advice = {};              ///< as ImportResult::advice
  std::string variable = {};            ///< of the environment, that is not set
  bool says_gone = false;               ///< its text tells that something was there once, and is not any more
};

/// A followed call, or a module, took too many steps: it is given up, and its value is unknown. See also Exhausted.
struct StepLimit {};

/// What Python raises when the loader says no; `kind` unless the answer names another.
PythonError failed_load(const LoadAnswer&, std::string_view kind);
/// Whether a handler of these kinds, all if there are none, catches an exception.
bool catches(const std::vector<std::string>& kinds, std::string_view kind);
bool catches(const std::vector<std::string>& kinds, const PythonError&);
/// The exceptions that a clause names; an empty list catches all.
std::vector<std::string> handled_kinds(const Node& exceptions);

}  // namespace cudald::python

#pragma once

#include <optional>
#include <string>
#include <utility>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Whether a class is derived from classes that are followed, and from Python's own exceptions.
bool is_known_exception(const Object& type);

/// `raise` statements: what they raise, and whether it is certain to be raised.
class RaiseStatements : Part {
 public:
  explicit RaiseStatements(Interpreter& python) : Part(python) {}

  /// Throws the exception, unless it is in doubt and nobody is there to catch it.
  void run(Frame&, const Node& statement);
  /// What str() makes of the exception that is being handled; nullopt if the value is none, or its text is not known.
  std::optional<std::string> message_of(const Value&) const;
  /// The exception that an import ends with: an earlier one, where that was taken not to be raised, led to it.
  PythonError without_doubt(const PythonError&);
  /// What was raised in modules deeper than this, and taken not to be, is of no interest any more.
  void forget_doubted(int import_depth);
  /// A handler gave it a name: code may raise it later.
  void keep_named(const PythonError& error) { named_error_ = error; }

  /// The first line of a text that has any letters, as an exception prints it.
  static std::string first_line(const Value& text);

 private:
  std::optional<PythonError> raised_system_error(Frame&, const Node&);
  void take_text(Frame& frame, const Node& exception, PythonError&);
  void tell_class(Frame& frame, const ObjectRef& type, const Node& exception, PythonError&);
  void take_own_text(Frame& frame, const Object& type, const Node& exception, PythonError&);
  void tell_classes(const Object& type, PythonError&);
  void raise_again(const Frame&, const PythonError&);
  bool raises_kept(Frame&, const Node& exception);

  /// What was raised with nobody to catch it, and taken not to be, and how deep imports were then.
  std::optional<std::pair<int, PythonError>> doubted_;
  std::optional<PythonError> named_error_;  ///< the last that a handler gave a name
};

}  // namespace cudald::python

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// `try` statements: which handler takes what the block raises.
class TryStatements : Part {
 public:
  explicit TryStatements(Interpreter& python) : Part(python) {}

  /// Runs the block, and the handler, `else` and `finally` that follow. Throws what none of them takes.
  Flow run(Frame&, const Node& statement);

 private:
  std::optional<Flow> try_once(Frame&, const Node& statement);
  std::optional<PythonError> raised_by_block(Frame&, const Node& statement, std::vector<std::string> handled, Flow&);
  static bool is_surely_handled(const Node& statement, const PythonError& raised);
  std::vector<std::string> kinds_of(const Frame&, const Node& exceptions) const;
  bool knows_handlers(Frame&, const Node& statement);
  bool is_known_class(Frame&, const std::string& name);
  void note_warning(const Node& handler, const PythonError&);
  Flow run_handler(Frame&, const Node& handler, const PythonError&);
  bool takes_for_there(const PythonError& missing, const PythonError& error);

  std::size_t taken_for_there_ = 0;  ///< modules that a handler refused to do without
};

}  // namespace cudald::python

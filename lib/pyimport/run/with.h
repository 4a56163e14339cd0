#pragma once

#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// `with` statements: what their contexts give, and which exceptions they end.
class WithStatements : Part {
 public:
  explicit WithStatements(Interpreter& python) : Part(python) {}

  /// Enters the contexts, runs the block, and leaves them. Throws what none of them ends.
  Flow run(Frame&, const Node& statement);
  /// What the __enter__ of a context gives: what a `with` binds.
  Value entered(Frame&, const Value& context);

 private:
  void leave(Frame&, const std::vector<Value>& contexts);
  bool may_suppress(const Value& context) const;
  static bool replaces_import(const Value& context);
  bool may_end_import(const Value& context) const;
  bool ends(Frame&, const Value& context, const PythonError&);
};

}  // namespace cudald::python

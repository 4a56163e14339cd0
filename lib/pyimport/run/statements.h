#pragma once

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// Statements: what runs, in which order. Definitions and `try`, `raise`, `with` and `match` are parts of their own.
class Statements : Part {
 public:
  explicit Statements(Interpreter& python) : Part(python) {}

  /// Runs a block. Throws what it raises, and StepLimit.
  Flow run(Frame&, const Node& block);
  /// A block behind a condition that cannot be known. What it raises or returns may as well not happen.
  Flow run_maybe(Frame&, const Node& block);

 private:
  Flow run_statement(Frame&, const Node&);
  Flow run_if(Frame&, const Node&);
  Flow run_for(Frame&, const Node&);
  Flow run_while(Frame&, const Node&);
  void run_assert(Frame&, const Node&);
  void run_augmented(Frame&, const Node&);
  void run_annotated(Frame&, const Node&);
  void run_delete(Frame&, const Node&);
  void delete_item(Frame&, const Node& target);
  void take_from_modules(const Frame&, const Value& key);
};

}  // namespace cudald::python

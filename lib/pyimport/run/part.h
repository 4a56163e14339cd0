#pragma once

#include <cstdint>

#include "knowledge/python_rules.h"
#include "pyimport/environment/module_finder.h"
#include "pyimport/run_import.h"
#include "pyimport/values/code_paths.h"
#include "pyimport/values/heap.h"
#include "pyimport/visible.h"

namespace cudald::python {

class Interpreter;

/// What each part of an interpreter has: the other parts, by way of the interpreter, and what all of them work with.
/// Its own state a part keeps to itself.
class Part {
 public:
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 protected:
  /// What all parts work with is there before the first of them is made.
  explicit Part(Interpreter&);
  ~Part() = default;

  Interpreter& python_;
  const PythonEnvironment& environment_;
  const FileSystem& files_;
  const PythonLoader& loader_;
  const Rules& rules_;
  const CodePaths& paths_;
  const VisibleFiles& visible_;
  Budget& cost_;  ///< of the question
  Heap& heap_;
  ModuleFinder& finder_;
};

}  // namespace cudald::python

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/compiled/compiled_imports.h"
#include "pyimport/run/array_abi.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald {
struct Image;  // cudald/image.h
class MappedBytes;
}  // namespace cudald

namespace cudald::python {

/// What made the code of a compiled module, by texts that it brings along.
struct CodeOrigin {
  bool cython = false, mypyc = false, rust = false, cffi = false;
  ArrayBuild arrays;
  /// Whether they tell more than the code does.
  bool has_texts() const { return cython || mypyc || rust || cffi || arrays.newer; }
};

/// What the code of a compiled module imports.
struct ImportsOfCode {
  std::vector<CompiledImport> imports;
  bool computes_names = false;       ///< and there are others, whose names its code computes
  std::vector<std::string> called;   ///< functions of other libraries
  std::vector<std::string> at_once;  ///< modules without which the initialisation fails
  bool gives_up = false;             ///< no code of it goes on after an exception, but for printing it
};

/// Imports compiled modules: what their initialisation asks of the loader and of Python, by what their files hold.
class ExtensionModules : Part {
 public:
  explicit ExtensionModules(Interpreter& python) : Part(python) {}

  /// Adds to the result what compiled modules may import when their functions are called.
  void collect_possible_imports();
  /// Asks the loader for the file, and runs what a rule says. Throws ImportError with its words.
  void load_extension(Module&, const Frame* from);
  /// Imports what the initialisation of a compiled module imports.
  void import_for_extension(Module&);
  /// The group that a module belongs to, if it is one of those of mypyc that make one another; else empty.
  std::string mypyc_group(const std::string& path);
  /// Cython's `include`, whose statements stand for it.
  void run_include(Frame&, const Node&);
  /// Whether a module of this name can be found.
  bool has_module(std::string_view name);
  /// What the message says besides where Cython, and not the author, has called import_array(); or empty.
  std::string addition_of_cython(const Module&);
  /// Whether numpy is 2 or later.
  bool is_newer_numpy();
  /// The compiled module that imports another one now, and fails without it; or null.
  const Module* needing() const { return needing_; }
  /// Its import has failed.
  void forget(const Module&);

 private:
  static bool is_needed(const Module&, const std::string& name, const std::vector<std::string>& at_once);
  void import_needed(const Module&, const std::string& name, bool is_named_by_it);
  std::shared_ptr<const Source> source_beside(const Module&);
  std::vector<std::string> cimported_names(const Node&, const Module&);
  void run_source_beside(Frame&, const std::vector<CompiledImport>&);
  ImportsOfCode imports_of(const Module&, const MappedBytes&, const CodeOrigin&, const Image*, Budget& code_budget);
  std::string resolved_name(const Module&, const CompiledImport&);
  bool is_import_of(const Module&, const std::string& name);
  bool imports_surely(const CompiledImport&, bool cython, bool rust, const Source*);

  const Module* needing_ = nullptr;
  std::vector<std::pair<const Module*, std::vector<std::string>>> possible_imports_;  ///< of compiled modules
};

}  // namespace cudald::python

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run/array_abi.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/libraries_beside.h"
#include "pyimport/run/part.h"

namespace cudald {
struct Image;  // cudald/image.h
class MappedBytes;
}  // namespace cudald

namespace cudald::python {

/// The strings of a module that Cython has compiled, as its file has them.
struct CythonStringsOfFile {
  enum class Form { unknown, arrays, one_text, packed };
  Form form = Form::unknown;
  std::string unpacked;  ///< of `packed`
};

/// What the files of compiled modules say: the names in them, what made them, and the NumPy that they were built for.
class CompiledFiles : Part {
 public:
  explicit CompiledFiles(Interpreter& python) : Part(python) {}

  /// Throws what Python raises where a module was built for another release of NumPy.
  void refuse_arrays(const Module&, const ArrayBuild&, bool asks);
  /// The same of a module whose code asks for that package, and gives up where it is not installed.
  void refuse_without_arrays(const Module&, const ArrayBuild&);
  /// The same of libraries beside it, whose functions it calls.
  void refuse_arrays_of_library(const Module&, const Image&, const std::vector<std::string>& called);
  /// Whether a name of a module may come from a compiled one that all names were taken of.
  bool may_be_taken_from_compiled_code(const Module&, std::string_view wanted);
  /// Whether compiled code of the same package may bind a name in a module.
  bool may_be_bound_by_compiled_code(const Module&, std::string_view wanted);
  /// Whether the file of a compiled module certainly has no such name.
  bool lacks_in_file(const Module&, std::string_view name);
  /// Whether a text is in the file of a module; true if that cannot be read.
  bool holds_text(const Module&, std::string_view text);
  /// The strings of a module of Cython.
  CythonStringsOfFile strings_of_cython(const Module&);
  /// Whether a name may be one of them.
  bool may_hold(const Module&, const CythonStringsOfFile&, std::string_view name);
  /// Whether code of a module, by what made it, may bind a name.
  bool may_bind_in_code(const Module&, std::string_view name);
  /// What made the code of a module; libraries that it needs are looked at.
  CompiledBy maker_of(const Module&);

 private:
  [[noreturn]] void refuse(const Module&, RefusedModule);
  std::optional<PythonEnvironment::Release> release_of(const std::string& package);
  bool goes_on_refused(const Module&) const;
  bool is_newer_side(const PythonEnvironment::Release&);
  ArrayBuild arrays_of_library(const MappedBytes&) const;
  bool may_bind_in_cython(const Module&, std::string_view name);
  bool may_bind_in_c(const Module&, std::string_view name);
  bool may_bind_in_rust(const Module&, std::string_view name);
  bool is_of_f2py(const Module&);
  bool may_bind_in_libraries(const Module&, const std::string& name);
  bool lacks_in_stub(const Module&, const std::string& name);
  bool may_copy_names(const std::string& path);
  const LibrariesBeside& libraries_of(const Module&);
  void add_needed(const std::string& path, const Image&, LibrariesBeside& into);

  std::map<std::string, bool> modules_of_f2py_;              ///< by path
  std::map<std::string, LibrariesBeside> libraries_beside_;  ///< by path, of modules
  std::map<std::string, ArrayBuild> arrays_of_libraries_;    ///< by path, of those beside compiled modules
};

}  // namespace cudald::python

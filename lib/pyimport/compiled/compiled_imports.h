#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/python_rules.h"
#include "pyimport/compiled/module_initialisation.h"
#include "pyimport/values/heap.h"

namespace cudald::python {

/// How the file tells that the name is that of a module which is imported while the file's module is initialised.
/// Behind each: of how many names that a file bore that was so, in 980 modules of 145 environments of 2026 whose calls
/// of PyImport_* were recorded. What is left out of this account: whether it is loaded anyway, by others.
enum class ImportProof : std::uint8_t {
  called,    ///< code that runs then gives it to the import; 99.8 %
  certain,   ///< what stands in the file is there for that import alone; 99.8 %
  likely,    ///< C code has the text, and seldom for anything else; 95 %
  package,   ///< a plain name in C code of a Cython module: 98 % of packages, 24 % in the standard library
  probable,  ///< a full name in C code, 48 %, or one that Cython 3.3 keeps for a relative import, 85 %
  possible,  ///< an identifier of a Cython module, which may be anything else, or be imported in a function; 48 %
};

/// A module that a compiled one imports while it is initialised, as far as its bytes tell.
struct CompiledImport {
  std::string name;
  ImportProof proof = ImportProof::possible;
  bool required = false;  ///< the file's module fails without it, and nothing in it catches the error

  friend bool operator==(const CompiledImport&, const CompiledImport&) = default;
};

/// Each name once, the certain ones first, otherwise in the order of the file. Many are of no module: the caller keeps
/// those that a file bears, and leaves out the module's own name and what it contains. Of what code calls a name may be
/// relative to the package. Without `code`, which need not be known, the texts of the file must do: those in `parts` of
/// it. The rules say how the package of arrays is asked. Throws Exhausted.
std::vector<CompiledImport> compiled_imports(std::span<const std::string_view> parts, const ModuleInitialisation* code,
                                             const ArrayRules&, Heap&);

}  // namespace cudald::python

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "pyimport/compiled/cython_table.h"

namespace cudald {

class MappedBytes;
struct Image;  // cudald/image.h

namespace python {

/// What the machine code of an extension module does while the module is initialised: that of PyInit_NAME, of the
/// functions that the module's definition names for it, and of all that these call directly.
struct ModuleInitialisation {
  /// Names that are given to PyImport_ImportModule and its like, or to a function that hands them on.
  std::vector<std::string_view> imported;
  /// Those of them that its own functions import, where none of the code goes on after an exception.
  std::vector<std::string_view> imported_at_once;
  std::vector<std::string_view> capsules;  ///< the same of PyCapsule_Import
  std::vector<std::string_view> of_sip;    ///< modules that the run time of SIP imports for it, in its order
  std::set<std::string_view> called;       ///< functions of other files, but for those of Python
  bool computes_names = false;             ///< some import's name stands in no text that is handed to it
  /// Variables of which the name is that code of Cython's imports outside of any condition and `try`, in its order.
  std::vector<std::uint64_t> required;
  /// Variables of which the first argument of some call is loaded, each once, and pairs of them of which the name and
  /// the value of an attribute are.
  std::vector<std::uint64_t> arguments;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;
  /// Texts of which the code takes the address.
  std::vector<std::string_view> texts;
  bool all_followed = false;  ///< no function was left out
  bool gives_up = false;      ///< nor does any go on after an exception, but for printing it
  StringTable strings;        ///< of Cython 3.0 and 3.1
  std::string lengths;        ///< of the strings of Cython 3.2, as cython_lengths() gives them
};

/// nullopt if it cannot be told: files for other machines than x86-64 Linux, and what is beyond the budget.
std::optional<ModuleInitialisation> module_initialisation(const MappedBytes&, const Image&, Budget&);
/// The same of one function that a library exports, without those that it calls.
std::optional<ModuleInitialisation> function_alone(const MappedBytes&, const Image&, std::string_view name, Budget&);

}  // namespace python
}  // namespace cudald

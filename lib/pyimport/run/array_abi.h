#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/python_rules.h"
#include "pyimport/run_import.h"

namespace cudald::python {

/// For which C interface of the package of arrays a compiled module was built, by texts that its bytes hold. Of a
/// module that does not use it, nothing is set.
struct ArrayBuild {
  bool older = false, newer = false;  ///< the interfaces that it asks for
  bool earlier = false;               ///< the older one by headers before NumPy 1.16
  bool types = false;                 ///< it imports the package's types, and checks their sizes
  std::string words;                  ///< with which it complains of a size
  std::string least;                  ///< the release that it needs at least, "1.25"; empty: it does not say

  bool only_older() const { return older && !newer; }
};

/// Looks for these texts in blocks of a file that overlap by more than their length.
class ArrayMarks {
 public:
  explicit ArrayMarks(const ArrayRules& rules);
  void look_at(std::string_view block);
  ArrayBuild take();

 private:
  const ArrayRules& rules_;
  std::vector<std::string> type_names_;  ///< each between two zeros
  std::vector<bool> has_type_, has_words_;
  std::string earlier_capsule_;  ///< between two zeros
  bool asks_as_earlier_ = false, checks_as_earlier_ = false;
  bool raises_as_older_ = false, raises_as_newer_ = false;
  ArrayBuild build_;
};

/// The package of arrays as an import finds it.
struct ArrayRelease {
  std::string version;      ///< empty: not known
  bool newer_side = false;  ///< it is of the newer side of the border
};

/// The exception that the initialisation of a module raises, as RefusedModule has it; nullopt if none. `asks`: its code
/// is seen to ask for the package's functions. `narrow`: of 32 bits.
std::optional<RefusedModule> refusal_of(const ArrayBuild&, const ArrayRelease&, bool asks, bool narrow,
                                        const ArrayRules&);

}  // namespace cudald::python

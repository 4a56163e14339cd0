#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace cudald {

class MappedBytes;
struct Image;  // cudald/image.h

namespace python {

/// What the code of a file may ask for while others use it, each name once, in the order of the code. Which of it runs
/// is not known.
struct LibraryRequests {
  std::vector<std::string> libraries;                     ///< that it opens
  std::vector<std::string> modules;                       ///< that it imports
  bool opens_computed = false, imports_computed = false;  ///< others, whose names it computes
  bool runs_code = false;                                 ///< Python code, its own or wherever that stands

  /// As a list for people; empty if it opens none.
  std::string listed_libraries() const;
  /// The same of modules, but for those that something has imported anyway.
  std::string listed_modules(const std::function<bool(std::string_view)>& is_imported) const;
};

/// Which of it is asked.
struct RequestKinds {
  bool libraries = true, modules = true;
  bool any() const { return libraries || modules; }
};

/// What is not asked is empty. nullopt if it cannot be told: files for other machines than x86-64 Linux, and what is
/// beyond the budget.
std::optional<LibraryRequests> library_requests(const MappedBytes&, const Image&, RequestKinds, Budget&);

/// What is worth asking, by the names of the functions of others that a file uses.
RequestKinds may_request(std::string_view names_of_symbols);

}  // namespace python
}  // namespace cudald

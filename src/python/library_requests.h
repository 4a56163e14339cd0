#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace cudald {

class MappedBytes;
struct Image;  // cudald/image.h

namespace python {

/// What the code of a file may ask for while others use it, as a list for people; empty if it asks for nothing. Which
/// of it runs is not known.
struct LibraryRequests {
  std::string libraries;  ///< that it opens
  std::string modules;    ///< that it imports
};

/// Which of it is asked.
struct RequestKinds {
  bool libraries = true, modules = true;
  bool any() const { return libraries || modules; }
};

/// What is not asked is empty. `is_imported`: of a module, whether something has imported it anyway. nullopt if it
/// cannot be told: files for other machines than x86-64 Linux, and what is beyond the budget.
std::optional<LibraryRequests> library_requests(const MappedBytes&, const Image&, RequestKinds, Budget&,
                                                const std::function<bool(std::string_view)>& is_imported);

/// What is worth asking, by the names of the functions of others that a file uses.
RequestKinds may_request(std::string_view names_of_symbols);

}  // namespace python
}  // namespace cudald

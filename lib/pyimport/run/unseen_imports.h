#pragma once

#include <set>
#include <string>
#include <string_view>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// Whether code that was not followed may have imported a part of a package: see unseen_imports.cc.
class UnseenImports : Part {
 public:
  explicit UnseenImports(Interpreter& python) : Part(python) {}

  /// Whether a file of that name is a part of the package.
  bool is_part(const Module& package, std::string_view name) const;
  /// Whether such a part may have been imported though nothing that was followed did so.
  bool may_have_imported(const Module& package, std::string_view part);

 private:
  bool may_import(const Module& module, const Module& package, const std::string& part);
  bool may_import_by_source(const Module& module, const Module& package, const std::string& part);

  std::uint64_t effort_ = 0;                     ///< bytes of texts that it has divided into tokens
  std::set<std::string, std::less<>> possible_;  ///< parts that may have been imported
};

}  // namespace cudald::python

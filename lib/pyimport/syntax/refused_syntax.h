#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace cudald::python {

/// Why a release of Python does not compile a source.
struct RefusedSyntax {
  std::uint32_t line = 0;
  std::string message;  ///< of the SyntaxError
  int first = 0;        ///< the minor release that takes it, if that is a later one; 0: an earlier one
};

/// What Python 3.`minor` surely refuses in a source, wherever it stands in it: words that it reserves, statements of
/// Python 2, and statements of later releases. Nullopt: nothing of the kind.
std::optional<RefusedSyntax> refused_syntax(std::string_view text, int minor, Budget&);

}  // namespace cudald::python

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace cudald::python {

/// Why a release of Python does not compile a source.
struct RefusedSyntax {
  enum class Kind : std::uint8_t { syntax, indentation, tab };

  std::uint32_t line = 0;
  std::string message;  ///< of the SyntaxError; "" where it is not known word for word
  int first = 0;        ///< the minor release that takes it, if that is a later one; 0: an earlier one, or none
  Kind kind = Kind::syntax;

  /// The class that Python raises: "IndentationError".
  std::string_view error() const {
    return kind == Kind::tab ? "TabError" : kind == Kind::indentation ? "IndentationError" : "SyntaxError";
  }
};

/// The first thing in a source that Python 3.`minor` surely does not compile, functions that nobody calls included.
/// Nullopt: it compiles it, or that cannot be said: of what is nested too deeply, has more tokens than are read, or of
/// releases before 3.5 and after 3.15.
std::optional<RefusedSyntax> refused_syntax(std::string_view text, int minor, Budget&);

}  // namespace cudald::python

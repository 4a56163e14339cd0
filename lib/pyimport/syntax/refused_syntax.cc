#include "pyimport/syntax/refused_syntax.h"

#include "pyimport/syntax/grammar.h"

namespace cudald::python {

std::optional<RefusedSyntax> refused_syntax(std::string_view text, int minor, Budget& budget) {
  constexpr int first_known = 5, last_known = 15;
  if (minor < first_known || minor > last_known) return std::nullopt;
  return Grammar(text, minor, budget).refused();
}

}  // namespace cudald::python

#pragma once

#include <optional>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// `match` statements: which clause fits.
class MatchStatements : Part {
 public:
  explicit MatchStatements(Interpreter& python) : Part(python) {}

  /// Runs the first clause that fits; those that may fit too, where that is not known. Throws what it raises.
  Flow run(Frame&, const Node& statement);

 private:
  std::optional<bool> matches(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_sequence(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_mapping(Frame&, const Value& subject, const Node& pattern);
};

}  // namespace cudald::python

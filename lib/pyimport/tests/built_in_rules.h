#pragma once

#include "embedded.h"
#include "knowledge/python_rules.h"

namespace cudald::test {

/// data/python-rules.json, as Linux reads it.
inline const python::Rules& built_in_rules() {
  static const auto rules = python::read_rules(embedded_python_rules(), false);
  return rules;
}

}  // namespace cudald::test

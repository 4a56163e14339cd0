#pragma once

#include <string_view>

namespace cudald::python {

/// An order of names that is quickly asked for: most differ in their length.
struct ByLength {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

}  // namespace cudald::python

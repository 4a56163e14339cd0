#pragma once

#include <string_view>
#include <vector>

#include <cudald/format.h>

#include "report/text/text.h"

namespace cudald {

/// What a file says of itself, a labelled line for each fact.
class FactList {
 public:
  explicit FactList(TextWriter& text) : text_(text) {}

  /// A label like the one before is left out.
  void add(std::string_view label, std::string_view value, std::string_view note = {});
  void add(const std::vector<Defect>&);
  const TextStyle& style() const { return text_.style(); }

 private:
  TextWriter& text_;
  std::string_view label_;
};

}  // namespace cudald

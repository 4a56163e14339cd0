#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// `def`, `class` and `lambda`: what they make, and what of it Python refuses.
class Definitions : Part {
 public:
  explicit Definitions(Interpreter& python) : Part(python) {}

  /// Runs a `def` or `class` with its decorators, and binds its name. Throws what it raises.
  void run(Frame&, const Node& statement);
  /// The value of a `def` or `lambda`, without decorators.
  Value define_function(Frame&, const Node&);
  /// Whether annotations are evaluated where they are written.
  bool evaluates_annotations(const Frame&) const;

 private:
  std::optional<Value> extended_property(Frame&, const Node& decorator, const Value&);
  std::optional<bool> makes_dataclass(Frame&, const Node& decorator, const Value&);
  void check_fields(Frame&, const Node& statement, const std::vector<Value>& decorators, Object& type);
  Value define_class(Frame&, const Node&);
  Value base_of_alias(Frame&, const Node& written, Value made);
  bool is_sure_base(Frame&, const Node& written, const Value&);
  void refuse_bases(Frame&, const Node& statement, const std::vector<Value>& given);
  void choose_metaclass(Frame&, const Node& statement, const std::vector<Value>& given, Object& type);
  void tell_bases(Frame&, const ObjectRef& type, const Node& given);
  std::vector<Value> define_parameters(Frame&, const Node& parameters);
  std::string_view keep_name(const std::string& name) { return *kept_names_.insert(name).first; }

  std::set<std::string, ByLength> kept_names_;  ///< of modules and classes, for their functions
};

}  // namespace cudald::python

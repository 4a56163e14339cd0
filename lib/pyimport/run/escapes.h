#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// Names that stand in the body of a function, in order, and those of them that it declares `global` or `nonlocal`.
struct Mentions {
  std::vector<std::string> names, declared;
};

/// Which values code that is not followed has got hold of, and may change: these are doubtful from then on.
class Escapes : Part {
 public:
  explicit Escapes(Interpreter& python) : Part(python) {}

  /// What Python calls of its own accord where a value is used like this: methods of its class that are not followed.
  enum class Use { truth, items, text, operation, builtin };
  /// Code that is not followed gets these, and may change what they hold, now or later.
  void escape(const Value&);
  void escape_arguments(const Arguments&);
  /// Code that is not followed gets some attribute of a module.
  void escape_attribute(Module&);
  /// What a function changes that is called and not followed.
  void escape_mentioned(const Function&);
  /// A call of what is not followed: it may raise anything.
  Value opaque_call(const Arguments&);
  /// A value is used like this.
  void use(const Value&, Use);
  bool use_methods(const Object& type, std::span<const std::string_view> names);
  void use_definition(const Object& type);
  /// Whether code that is not followed may have changed a value, or what it holds.
  bool is_doubtful(const Value&) const;
  bool holds_doubtful(const Value&) const;
  bool has_doubtful_parts(const Value&) const;
  /// Whether code that is not followed may call a function or class at the top of a module.
  bool has_escaped(const Module&, std::string_view definition) const;
  bool is_of_standard_library(const Object& type);
  bool binds_only_when_run(const Value& module);

 private:
  const Mentions& mentions_of(const Function&);
  void escape_mentions(const Function&, std::vector<Value>& reached);
  bool is_worth_a_walk(const Function&);

  /// Modules, and functions and classes at their top that code that is not followed may call.
  std::set<std::pair<std::string, std::string>> escaped_;
  std::map<FunctionKey, Mentions> mentions_;
  std::map<FunctionKey, int> walks_;  ///< how often code that is not followed got a function
};

}  // namespace cudald::python

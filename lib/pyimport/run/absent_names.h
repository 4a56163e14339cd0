#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/syntax/scanner.h"

namespace cudald::python {

/// Whether the rest of a line behind a dict binds keys of it: `[name] = value`, `.update(...)`, `.setdefault(...)`.
bool binds_into(std::string_view line);

/// Finds names that are in no text of a package: see absent_names.cc.
class AbsentNames : Part {
 public:
  explicit AbsentNames(Interpreter& python) : Part(python) {}

  /// Whether code of a source may put a name together of a text and something else.
  bool may_put_together(const Source&, std::string_view name);
  /// Whether code of other modules binds names in the frames of its callers, as this module may be one.
  bool may_be_bound_by_frames(const Module&);
  /// Whether a module that its package may make at run time is in no text.
  bool is_module_nowhere(const std::string& name, const Frame* from);
  /// Whether a name of which asking the module has given nothing that is known is in no text that could bind it.
  bool is_nowhere(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  /// Whether a name that a module of Python itself lacks is in no other loaded module than the one whose code asks for
  /// it: nobody else has put it there.
  bool is_in_no_other(const Frame&, const std::string& name);
  /// The name that code is asked for now, and that is in no text: nothing equals it, or contains it. Else empty.
  const std::string& asked_name() const { return asked_name_; }

  /// Whether it may be `__name` of a class body, which Python binds as `_Class__name`.
  static bool is_made_private(std::string_view name);

 private:
  struct PackageCost {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
  };
  static bool is_distinctive(std::string_view name);
  std::optional<std::vector<Token>> tokens_of(std::string_view text);
  bool may_set(const Source&, std::string_view name);
  bool may_name(const Module&, std::string_view name);
  bool stands_below(const std::string& folder, const std::string& name, PackageCost&, int depth);
  bool is_true_of_package(const std::string& root, const std::function<bool(std::string_view)>&);
  bool stands_in_source(const Source&, std::string_view part);
  bool stands_in_package(const std::string& root, std::string_view name);
  bool stands_in_others(const Frame&, const Module&, const std::string& name);
  bool refuses_name(const ObjectRef& stand_in, Module&, const std::string& name);
  bool stands_somewhere(const Frame&, const Module&, const std::string& name);

  std::uint64_t text_effort_ = 0;                      ///< bytes of texts that it has looked at
  std::set<std::string, std::less<>> names_in_texts_;  ///< "module.name" that stands_somewhere() has found
  std::string asked_name_;
};

}  // namespace cudald::python

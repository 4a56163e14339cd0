#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/at_end.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Counts something as long as the result lives, if it `is` so.
[[nodiscard]] inline auto counted(int& count, bool is) {
  count += is ? 1 : 0;
  return AtEnd([&count, is] { count -= is ? 1 : 0; });
}

/// Keeps apart what certainly happens and what may as well not: what hangs on code that is not followed, and whether
/// what is raised ends the import.
class Doubt : Part {
 public:
  explicit Doubt(Interpreter& python) : Part(python) {}

  /// What a name holds, without asking code for it; Unknown if it is bound otherwise.
  Value known_name(const Frame&, std::string_view name) const;
  /// A block that was not run, and may be run: what it would bind or change is doubtful.
  void doubt_effects(Frame&, const Node& block);
  /// Whether what is raised here surely ends the import, if nobody catches it.
  bool is_certain(const Frame&) const;
  /// What Python raises of its own accord: thrown if what is evaluated surely leads to it.
  void raise_if_certain(const Frame&, PythonError);
  /// The KeyError of a variable of the environment that is not set.
  PythonError lacks_variable(const Frame&, const std::string& name) const;
  /// Throws NameError if nothing can have bound a name.
  void raise_if_unbound(const Frame&, std::string_view name);
  /// Throws this error if a value surely is None, with the variable of the environment that it stands for.
  void refuse_none(const Frame&, const Value&, PythonError);
  /// Throws TypeError for an operation of which one side is None.
  void refuse_operand(const Frame&, std::string_view sign, const Value& left, const Value& right, const Node& of_right);
  /// Whether what is being evaluated hangs on something doubtful.
  bool touched() const { return touched_; }
  void touch(bool if_so = true) { touched_ |= if_so; }
  /// Gives what it was before.
  bool set_touched(bool now) { return std::exchange(touched_, now); }
  /// Calls so far of what is not followed.
  std::size_t opaque_calls() const { return opaque_calls_; }
  void note_opaque_call() { ++opaque_calls_; }
  /// How often so far something may have raised what no statement that was followed shows: those calls, what may as
  /// well not run, and values of which it is not known what they lack.
  std::size_t possible_raises() const { return opaque_calls_ + possible_raises_; }
  void note_possible_raise() { ++possible_raises_; }
  /// An exception of this kind may be raised; that counts where somebody is ready to catch it.
  void may_raise(std::string_view kind);
  void may_lack_item() { may_raise("KeyError"), may_raise("IndexError"); }
  /// Whether code that is not followed may have imported modules.
  bool may_have_imported() const { return imports_unseen_ || opaque_calls_ != opaque_calls_before_; }
  void note_unseen_imports() { imports_unseen_ = true; }
  /// What the code of a module does is no part of what asks for it: kept until the module has run.
  struct Outside {
    std::size_t opaque_calls, opaque_calls_before, possible_raises;
    bool touched;
    int hidden_names;
  };
  Outside enter_module();
  void leave_module(const Outside&, bool of_standard_library);
  /// Each as long as the result lives: a module runs that is imported where that is doubtful, or behind a condition
  /// that is not known; a handler or context of which it is not known what it catches; and a definition with type
  /// parameters, which bind names that are in no table.
  [[nodiscard]] auto on_doubtful_way(bool is) { return counted(doubtful_ways_, is); }
  [[nodiscard]] auto in_doubtful_import(bool is) { return counted(doubtful_imports_, is); }
  [[nodiscard]] auto with_unsure_catcher(bool is) { return counted(unsure_catchers_, is); }
  [[nodiscard]] auto with_hidden_names(bool are) { return counted(hidden_names_, are); }
  /// Code that is not followed may have reached anything.
  void doubt_all_that_follows() { ++doubtful_ways_; }
  bool is_doubtful_import() const { return doubtful_imports_ > 0; }

 private:
  bool is_called_too_early(const Frame&, std::string_view name) const;
  void doubt_targets(Frame&, const Node& target);
  void doubt_attribute(Object&, std::string_view name);
  void doubt_name(Frame&, std::string_view name);

  std::size_t opaque_calls_ = 0;         ///< calls of what is not followed
  std::size_t possible_raises_ = 0;      ///< of what is no call
  std::size_t opaque_calls_before_ = 0;  ///< of them, those before the module that runs
  bool imports_unseen_ = false;          ///< code ran that is not followed, and may have imported modules
  bool touched_ = false;                 ///< what is evaluated hangs on something doubtful
  int doubtful_ways_ = 0;                ///< modules that run, and are imported where that is doubtful
  int doubtful_imports_ = 0;             ///< modules that run, and are imported behind such a condition
  int unsure_catchers_ = 0;              ///< handlers and contexts of which it is not known what they catch
  int hidden_names_ = 0;                 ///< definitions with type parameters
};

}  // namespace cudald::python

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

struct KnownCall;

/// Calls what code calls: functions that are followed, classes, and what is known by its name.
class Calls : Part {
 public:
  explicit Calls(Interpreter&);

  /// A text, or each in a list, as one that stands for a path or for bytes.
  Value no_str(Value);
  /// Runs a source with a count of steps of its own; false if it takes too many.
  bool run_counted(Frame&);
  /// Says in the result how far a source was followed that takes too many steps.
  void note_steps(const Frame&);
  /// Throws StepLimit once the call, or the module, has taken too many.
  void count_steps(std::size_t steps);
  /// Calls a value. Unknown if it is not followed; throws what it raises.
  Value call(Frame&, const Value& callee, const Arguments&);
  /// Whether the methods of an object are those that its classes have: nobody makes or changes it in its own way.
  bool is_plain_owner(const Value& self) const;
  /// Calls a function that is followed; `self` goes before the arguments, or is null.
  Value call_function(Frame&, const std::shared_ptr<const Function>&, const Arguments&, const Value* self);
  /// Whether code mentions what may load a library or import a module.
  bool names_a_load(const Module&, const Source&, const Node&, int depth);
  /// An instance of a class whose __init__ has not run.
  ObjectRef new_instance(const ObjectRef& type);
  /// What a loop over a value gets; nullopt if that is not known.
  std::optional<ListItems> items_of(Frame&, const Value&);
  /// Whether a function of the tables has this name.
  bool knows(std::string_view name) const;
  /// Calls a function of the tables; nullopt if none has this name.
  std::optional<Value> call_known(Frame&, std::string_view name, const Arguments&);
  /// Calls a method of a text, a list, a dictionary, or of what is known by its name.
  Value call_method(Frame&, const Value& self, std::string_view method, const Arguments&);
  /// As the `key` and `reverse` of a call say; what cannot be compared stays in its order.
  void sort(const KnownCall&, std::vector<Value>& items);
  /// `del globals()[key]`.
  void take_from_globals(const Frame&, const std::string& module, const Value& key);
  /// How deep calls of functions are nested, and expressions in one another.
  int depth() const { return depth_; }
  Budget& nesting() { return expressions_; }
  /// One more part of an expression was evaluated.
  void count_node();
  /// Whether the body of the function that was called last has run.
  bool body_was_run() const { return body_was_run_; }
  /// The next call is that of a decorator.
  void announce_decorator() { decorating_ = true; }

  /// The next call has the arguments that are written there, whatever their values are.
  void announce_written_arguments() { all_written_ = true; }

  /// Whether a class of its own, or one that it is derived from, may be another one than is known.
  static bool has_doubtful_class(const Object& type);

 private:
  Value call_followed(Frame&, const Value& callee, const Arguments&);
  Value call_partial(Frame&, const Object& partial, const Arguments&);
  Value call_builtin(Frame&, const std::string& name, const Arguments&);
  std::optional<Value> call_without_body(Frame& caller, const Function&, const Arguments&, const Value* self,
                                         bool decorates);
  Value call_once(Frame&, const std::shared_ptr<const Function>&, const Arguments&, const Value* self,
                  std::shared_ptr<Scope>);
  void bind(Scope&, const Function&, const Arguments&, const Value* self);
  std::string name_in_message(const Function&) const;
  void refuse_keyword(const Frame& caller, const Function&, const Arguments&);
  void refuse_missing(const Frame& caller, const Function&, const Arguments&, bool self);
  void refuse_arguments(const Frame& caller, const Function&, const Arguments&, const Value* self, bool all_written);
  Value other_keywords(const Function&, const Arguments&);
  Value run_function(Frame& caller, const std::shared_ptr<const Function>&, std::shared_ptr<Scope>,
                     std::vector<Value>* yielded);
  bool may_load(const Module&, const Source&, const Node& function, int depth);
  bool makes_generator(const Function&);
  Value call_class(Frame&, const ObjectRef&, const Arguments&);
  bool is_called_plainly(const Object& type) const;
  ObjectRef made_by_new(Frame&, const ObjectRef& type, const Arguments&);
  Value update_globals(const KnownCall&, const std::string& module);
  void change_globals(const KnownCall&, const std::string& module, std::string_view method);
  Value call_named(const KnownCall&, const std::string& name, std::string_view method);
  Value call_thing(const KnownCall&, const Thing&, std::string_view method);

  Budget expressions_;  ///< how deep they are nested, comprehensions within comprehensions included
  std::size_t nodes_ = 0;
  int depth_ = 0;
  std::size_t call_steps_ = 0, module_steps_ = 0;
  bool decorating_ = false, decorates_ = false;  ///< the next call is that of a decorator; this one is
  bool body_was_run_ = false;
  bool all_written_ = false;  ///< the next function that is called gets the arguments that are written there
  std::map<FunctionKey, bool> may_load_, makes_generator_;
  std::set<FunctionKey> too_long_;  ///< functions that could not be followed to their end
};

}  // namespace cudald::python

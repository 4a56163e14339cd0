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

  Value no_str(Value);
  bool may_be_no_str(const Value&) const;
  bool run_counted(Frame&);
  void note_steps(const Frame&);
  void count_steps(std::size_t steps);
  Value call(Frame&, const Value& callee, const Arguments&);
  bool is_plain_owner(const Value& self) const;
  Value call_function(Frame&, const std::shared_ptr<const Function>&, const Arguments&, const Value* self);
  bool names_a_load(const Module&, const Source&, const Node&, int depth);
  /// An instance of a class whose __init__ has not run.
  ObjectRef new_instance(const ObjectRef& type);
  std::optional<ListItems> items_of(Frame&, const Value&);
  std::optional<Value> call_known(Frame&, std::string_view name, const Arguments&);
  Value call_method(Frame&, const Value& self, std::string_view method, const Arguments&);
  /// As the `key` and `reverse` of a call say; what cannot be compared stays in its order.
  void sort(const KnownCall&, std::vector<Value>& items);
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
  Value other_keywords(const Function&, const Arguments&);
  Value run_function(Frame& caller, const std::shared_ptr<const Function>&, std::shared_ptr<Scope>,
                     std::vector<Value>* yielded);
  bool may_load(const Module&, const Source&, const Node& function, int depth);
  bool makes_generator(const Function&);
  Value call_class(Frame&, const ObjectRef&, const Arguments&);
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
  std::map<FunctionKey, bool> may_load_, makes_generator_;
  std::set<FunctionKey> too_long_;              ///< functions that could not be followed to their end
  std::set<std::string, std::less<>> no_strs_;  ///< texts that stand for paths or bytes
};

}  // namespace cudald::python

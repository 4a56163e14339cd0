#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Names and attributes: what they hold, and what certainly has none of a name.
class Bindings : Part {
 public:
  explicit Bindings(Interpreter& python) : Part(python) {}

  /// Throws AttributeError for a method that a type of Python had in release 2 alone.
  void refuse_name_of_python_2(const Frame&, const std::string& type, std::string_view name);
  /// Whether a module certainly has no such name, as asking it has given `value`.
  bool surely_lacks(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  /// Whose name is missing, for the reader.
  std::shared_ptr<const LackedName> lacked(const Frame&, const Module&, std::string_view name);
  /// The value of a name where the frame runs. Throws NameError if there surely is none.
  Value look_up(Frame&, std::string_view name);
  /// Binds a name there.
  void assign(Frame&, std::string_view name, Value);
  /// Where an assignment to a name binds it.
  Names& names_for(Frame&, const NameKey& name);
  /// Binds whatever stands before the `=`.
  void assign_target(Frame&, const Node& target, const Value&);
  /// A module binds names from now on that are not known.
  void lose_names(std::string_view module);
  /// `setattr(owner, name, value)`.
  void set_attribute(Frame&, const Value& owner, const std::string& name, const Value&);
  /// Whether an object certainly has no such attribute.
  bool surely_lacks(const Value& owner, std::string_view name);
  /// A name among the globals of a module.
  Value global(const std::string& module, const std::string& name);
  /// `owner.name`. Throws AttributeError if it surely has none.
  Value attribute(Frame&, const Value&, std::string_view name);
  /// What the __getattr__ or __getitem__ of an object gives; nullopt if it has none that is followed.
  std::optional<Value> made_by_object(Frame&, const Value& owner, std::string_view special, const Value& asked);
  /// `cdll.NAME` and `cdll[NAME]`.
  Value open_by_attribute(Frame&, const std::string& name);
  /// Code that is not followed may bind names in each module that has not run to its end.
  void doubt_running_modules();
  /// The value of a name of a module; nullopt if it surely has none.
  std::optional<Value> module_attribute(Frame&, Module&, std::string_view name);
  PythonError refusal_of_name(const Frame&, const Module&, std::string_view name, PythonError);
  /// What an object, its class or a base has by a name; nullopt if none has it.
  std::optional<Value> member(const Object&, std::string_view name) const;
  /// What super() gives where the frame runs; nullopt if that is not known.
  std::optional<Value> made_by_super(const Frame&, const Arguments&);
  /// What the last __getattr__ of a module raised that lacks the name; and "module.name", for which it was followed to
  /// that exception.
  void note_refused(const PythonError& asked, const std::string& name) { asked_error_ = asked, refused_name_ = name; }
  bool was_refused(std::string_view name) const { return refused_name_ == name; }

 private:
  std::string known_beginning(Frame&, const Node& text);
  bool says_gone(const Module&, const std::optional<Value>&) const;
  bool is_lack_beyond_doubt(const Module&, std::string_view name, const std::optional<Value>&);
  bool lacks_attribute(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  PythonError attribute_error(const Frame&, const Module&, std::string_view name);
  void assign_each(Frame&, const Node& targets, const Value&);
  void assign_attribute(Frame&, const Node& target, const Value&);
  void assign_item(Frame&, const Node& target, const Value&);
  bool has_no_docstring(const Object& type);
  std::optional<Value> attribute_of_super(Frame&, const Object& object, std::string_view name);
  Value attribute_of_named(Frame&, const std::string& owner, std::string_view name);
  Value attribute_of_thing(Frame&, const Thing& owner, std::string_view name);
  bool is_silent_about(const Object& type, std::string_view name, bool of_instance);
  void refuse_attribute(const Frame&, const ObjectRef&, std::string_view name);
  bool is_data_of(const Object& metaclass, std::string_view name) const;
  Value attribute_of_frame(const std::string& module, std::string_view name);
  Value attribute_of_module(Frame&, const std::string& module, std::string_view name);
  Value bound(Frame&, const std::shared_ptr<const Function>&, const ObjectRef&, bool own);
  bool is_left_alone(const Module&, std::string_view name);
  std::optional<Value> known_attribute(std::string_view qualified);
  std::optional<Value> setting_of_build(std::string_view attribute);

  Names builtins_;  ///< that code has named
  PythonError asked_error_;
  std::string refused_name_;
};

}  // namespace cudald::python

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Statements: what runs, in which order, what they define and raise.
class Statements : Part {
 public:
  explicit Statements(Interpreter& python) : Part(python) {}

  /// Runs a block. Throws what it raises, and StepLimit.
  Flow run(Frame&, const Node& block);
  /// What the __enter__ of a context gives: what a `with` binds.
  Value entered(Frame&, const Value& context);
  /// The value of a `def` or `lambda`.
  Value define_function(Frame&, const Node&);
  /// What str() makes of the exception that is being handled; nullopt if the value is none, or its text is not known.
  std::optional<std::string> message_of(const Value&) const;
  /// The exception that an import ends with: an earlier one, where that was taken not to be raised, led to it.
  PythonError without_doubt(const PythonError&);
  /// What was raised in modules deeper than this, and taken not to be, is of no interest any more.
  void forget_doubted(int import_depth);

  /// The first line of a text that has any letters, as an exception prints it.
  static std::string first_line(const Value& text);

 private:
  Flow run_statement(Frame&, const Node&);
  Flow run_if(Frame&, const Node&);
  Flow run_try(Frame&, const Node&);
  std::optional<PythonError> raised_by_block(Frame&, const Node& statement, std::vector<std::string> handled, Flow&);
  static bool is_surely_handled(const Node& statement, const PythonError& raised);
  std::optional<Flow> try_once(Frame&, const Node&);
  void note_warning(const Node& handler, const PythonError&);
  Flow run_handler(Frame&, const Node& handler, const PythonError&);
  bool takes_for_there(const PythonError& missing, const PythonError& error);
  Flow run_maybe(Frame&, const Node& block);
  Flow run_for(Frame&, const Node&);
  Flow run_while(Frame&, const Node&);
  std::vector<std::string> kinds_of(const Frame&, const Node& exceptions) const;
  bool knows_handlers(Frame&, const Node& statement);
  bool is_known_class(Frame&, const std::string& name);
  bool is_known_exception(const Object& type) const;
  void run_assert(Frame&, const Node&);
  void run_augmented(Frame&, const Node&);
  void run_annotated(Frame&, const Node&);
  void run_delete(Frame&, const Node&);
  void delete_item(Frame&, const Node& target);
  void take_from_modules(const Frame&, const Value& key);
  Flow run_with(Frame&, const Node&);
  void leave(Frame&, const std::vector<Value>& contexts);
  bool may_suppress(const Value& context) const;
  bool may_end_import(const Value& context) const;
  bool ends(Frame&, const Value& context, const PythonError&);
  Flow run_match(Frame&, const Node&);
  std::optional<bool> matches(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_sequence(Frame&, const Value& subject, const Node& pattern);
  std::optional<bool> matches_mapping(Frame&, const Value& subject, const Node& pattern);
  void run_definition(Frame&, const Node&);
  std::optional<Value> extended_property(Frame&, const Node& decorator, const Value&);
  std::optional<bool> makes_dataclass(Frame&, const Node& decorator, const Value&);
  void check_fields(Frame&, const Node& statement, const std::vector<Value>& decorators, Object& type);
  bool evaluates_annotations(const Frame&) const;
  Value define_class(Frame&, const Node&);
  bool is_sure_base(Frame&, const Node& written, const Value&);
  void refuse_bases(Frame&, const Node& statement, const std::vector<Value>& given);
  void choose_metaclass(Frame&, const Node& statement, const std::vector<Value>& given, Object& type);
  void tell_bases(Frame&, const ObjectRef& type, const Node& given);
  std::string_view keep_name(const std::string& name) { return *kept_names_.insert(name).first; }
  std::vector<Value> define_parameters(Frame&, const Node& parameters);
  std::optional<PythonError> raised_system_error(Frame&, const Node&);
  void take_text(Frame& frame, const Node& exception, PythonError&);
  void tell_classes(const Object& type, PythonError&);
  void run_raise(Frame&, const Node&);
  void raise_again(const Frame&, const PythonError&);
  bool raises_kept(Frame&, const Node& exception);

  std::set<std::string, ByLength> kept_names_;  ///< of modules and classes, for their functions
  std::size_t taken_for_there_ = 0;             ///< modules that a handler refused to do without
  /// What was raised with nobody to catch it, and taken not to be, and how deep imports were then.
  std::optional<std::pair<int, PythonError>> doubted_;
  std::optional<PythonError> named_error_;  ///< the last that a handler gave a name: code may raise it later
};

}  // namespace cudald::python

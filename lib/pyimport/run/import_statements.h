#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pyimport/run/doubt.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"

namespace cudald::python {

/// Import statements, at once and lazy ones: what they bind, and which names a module certainly lacks.
class ImportStatements : Part {
 public:
  explicit ImportStatements(Interpreter& python) : Part(python) {}

  /// `import` and `from ... import`.
  void run_import(Frame&, const Node&);
  /// Whether asking a module for a name has given a value that is known. What is not followed has any name.
  bool is_found(const Module&, const std::optional<Value>&) const;
  /// Whether a module that was asked for a name in vain certainly lacks it.
  bool lacks_name(const Frame&, const Module&, std::string_view name, const std::optional<Value>&);
  /// The module that code makes of the names of a compiled one, where the table has it as this attribute of an object.
  std::optional<Value> copied_names(const Object&, std::string_view attribute);
  /// Whether a name is none of the installed release, by the table of names that releases have removed or added.
  bool lacks_by_table(const Module&, std::string_view name);
  /// The release of a distribution of which no file is there; empty if that is not certain.
  std::string release_elsewhere(std::string distribution) const;
  /// The release of the distribution that a module is of; empty if none is noted beside it, or more than one.
  std::string release_of(const Module&, const std::string& distribution);
  /// Whether a module of the standard library lacks a name in this release of Python.
  bool lacks_by_release(const Module&, std::string_view name) const;
  /// The same of builtins.
  bool lacks_builtin(std::string_view name) const;
  /// Binds the names of a lazy import; nothing is imported before somebody asks for one.
  void bind_lazily(Frame&, const Node& statement);
  void bind_lazily(Frame&, const Node& statement, std::size_t part);
  /// Makes the import that a name was bound for; nullopt if it was bound otherwise.
  std::optional<Value> resolve_lazily(Frame& asking, Module&, std::string_view name);
  /// Whether an import statement asks the module that runs for a name, and nothing in between is in doubt.
  bool asks_this_module() const;
  /// Inside, import statements give what a context has put in the place of __import__, and which is not followed.
  [[nodiscard]] auto with_replaced_import(bool is) { return counted(replaced_imports_, is); }
  /// Whether its package imports it when somebody asks for it.
  bool is_lazy_submodule(const std::string& name) const { return lazy_submodules_.contains(name); }

 private:
  bool is_made_over_folder(Module&);
  std::optional<Value> made_by_code(Frame&, const std::string& name, const std::vector<std::string>& names, int level);
  /// Makes imports; that they asked for something is noted if the condition before them is not known.
  void make_imports(Frame&, const std::function<void()>& make);
  void run_import_names(Frame&, const Node&);
  void run_from_import(Frame&, const Node&);
  bool is_of_known_names(const Module&) const;
  std::optional<Value> imported_attribute(Frame&, Module&, std::string_view name);
  bool is_sure_to_lack(const Frame&, const Module&, std::string_view wanted);
  bool never_binds(const Module&, std::string_view wanted);
  std::string described(const Module&) const;
  void import_name(Frame&, Module&, const Node& imported);
  void import_name(Frame&, Module&, const std::string& wanted, std::string_view bound);
  void import_star(Frame&, Module&);
  bool is_lazy(const Frame&, const std::string& module);
  void resolve(Frame&, const Node& statement, std::size_t part, const std::string& bound);
  void resolve_all(Frame&, Module&);

  bool in_code_of_import_ = false;
  int replaced_imports_ = 0;
  int asking_depth_ = -1;         ///< how deep an import statement asks a module for a name; -1: none does
  std::optional<bool> all_lazy_;  ///< what PYTHON_LAZY_IMPORTS says, once it was asked
  std::set<std::string, std::less<>> lazy_submodules_;
};

}  // namespace cudald::python

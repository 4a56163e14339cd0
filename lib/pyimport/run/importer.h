#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/at_end.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Imports modules: finds the file, runs its code, and keeps what failed.
class Importer : Part {
 public:
  explicit Importer(Interpreter& python) : Part(python) {}

  /// Imports `name` with its parents. Throws PythonError, and Exhausted if the budget does not allow for more.
  Module& import_module(const std::string& name, const Frame* from);
  /// Runs the module that lies at a place.
  Module& load_place(const std::string& name, const ModulePlace&, const Frame* from);
  /// What is imported by other than Python code: a module that is not there is not missing.
  void import_if_there(const std::string& name, const Frame* from);
  /// What comes in when this is asked of a distribution of importlib.metadata; empty: when one is looked for.
  void import_for_distribution(Frame&, std::string_view attribute);
  /// Whether a folder of sys.path holds an egg of a package, or its links.
  bool has_other_metadata(const std::string& package);
  /// The module of an encoding.
  void import_codec(Frame&, const std::string& codec);
  /// What .pth files run. What they raise is printed, and no more.
  void run_start_up();
  [[noreturn]] void module_not_found(const std::string& name, const Frame* from);
  /// Empty where the dots lead out of all packages.
  std::string absolute_name(const Module&, std::size_t dots, const std::string& name) const;
  [[noreturn]] void leads_out_of_packages(const Module&) const;
  /// Modules that have a place, in the order of their imports.
  const std::vector<Module*>& in_order() const { return order_; }
  /// How deep imports are nested; and one deeper as long as the result lives.
  int depth() const { return depth_; }
  [[nodiscard]] auto one_deeper() {
    ++depth_;
    return AtEnd([this] { --depth_; });
  }
  /// What failed for want of this module may be imported once more.
  void retry_without(const std::string& missing);

 private:
  Module& load_module(const std::string& name, const std::vector<std::string>& search, const Frame* from);
  void forget_module(const std::string& name, const Module& failed);
  void refuse_other_bytecode(const Module&);
  void run_place(Module&, const ModulePlace&, const Frame* from);
  Module* stand_in(const std::string& name, const Frame* from);
  bool is_gone_by_table(std::string_view name);
  bool has_lost_its_file(const std::string& name);
  void run_source(Module&);
  bool has_encoding(std::string name);
  void raise_if_broken(const Module&);

  std::vector<Module*> order_;
  std::map<std::string, PythonError, std::less<>> failed_;
  std::set<std::string, std::less<>> tried_again_;  ///< modules of them that were followed once more
  int depth_ = 0;
};

}  // namespace cudald::python
